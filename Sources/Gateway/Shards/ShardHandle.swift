import Reactor
import Channels

/// Gives other threads access to a shard.
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

  /// Adds mail after all mail that was posted earlier, and wakes the shard.
  func post(_ mail: ShardMail) {
    mailbox.post(mail)
  }

  /// Adds mail that the shard handles in one turn, and wakes the shard.
  func post(together mail: [ShardMail]) {
    mailbox.post(together: mail)
  }

  /// Adds mail without waking the shard: mail of the store waits until its batch is answered, and mail
  /// of other servers until all of it has arrived.
  func enqueue(_ mail: ShardMail) {
    mailbox.enqueue(mail)
  }

  /// Wakes the shard if mail is waiting.
  func wake() { mailbox.wakeReceiver() }
}

/// An item of mail.
///
/// Mail is handled in order.
enum ShardMail: Sendable {
  /// A message of a shard, of this server or another.
  case message(ShardMessage)
  /// A message that is meaningful only in this process.
  case local(LocalMessage)
  /// The continuation of an operation that the shard itself has started: see ``ReturnPath``.
  case rest(ReturnPath.Rest)
}
