import Reactor
import ShardMessages

/// How other threads reach a shard.
final class ShardHandle: Sendable {
  let index: Int
  let address: ShardAddress
  let mailbox: Mailbox<ShardMail>

  /// - Parameter server: The number of this server in its cluster.
  init(index: Int, server: UInt16 = 0) throws(SystemError) {
    self.index = index
    address = ShardAddress(server: server, shard: UInt16(index))
    mailbox = try Mailbox()
  }

  /// Adds mail after all that was posted before, and wakes the shard.
  func post(_ mail: ShardMail) {
    mailbox.post(mail)
  }

  /// The same for mail that the shard works on in one turn.
  func post(together mail: [ShardMail]) {
    mailbox.post(together: mail)
  }

  /// Adds mail that may wait until the shards are woken: that of the store until its batch is answered,
  /// that of other servers until all of it has arrived.
  func enqueue(_ mail: ShardMail) {
    mailbox.enqueue(mail)
  }

  /// Wakes the shard if something waits.
  func wake() { mailbox.wakeReceiver() }
}

/// Mail in the order in which it is to be worked on.
enum ShardMail: Sendable {
  /// A message of a shard, of this server or another.
  case message(ShardMessage)
  /// A message that has a meaning in this process alone.
  case local(LocalMessage)
  /// The rest of something that the shard itself has begun: see ``ReturnPath``.
  case rest(ReturnPath.Rest)
}
