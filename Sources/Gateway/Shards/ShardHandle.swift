import Reactor

/// How other threads reach a shard.
final class ShardHandle: Sendable {
  /// Something to be done on a shard's own thread, with its state.
  typealias Job = @Sendable (Shard) -> Void

  let index: Int
  let mailbox: Mailbox<Job>

  init(index: Int) throws(SystemError) {
    self.index = index
    mailbox = try Mailbox()
  }

  /// Has something done on the shard's thread, after all that was posted before.
  func post(_ job: @escaping Job) {
    mailbox.post(job)
  }

  /// The same for what a job of the store has brought: the store rings when its batch is answered.
  func enqueue(_ job: @escaping Job) {
    mailbox.enqueue(job)
  }
}
