/// The way back to a shard for the rest of something that it has begun: the answer of the store, of
/// the previews, of the disk or of the authenticator.
///
/// The rest is a closure, since it never leaves the process: only a shard itself makes its return
/// path, before it asks. Whatever one shard asks of another is a `ShardMessage`.
struct ReturnPath: Sendable {
  /// Runs on the shard's thread, with its state.
  typealias Rest = @Sendable (Shard) -> Void

  private let handle: ShardHandle

  fileprivate init(_ handle: ShardHandle) { self.handle = handle }

  /// Runs the rest on the shard, after all that was posted there before; on any thread.
  func resume(_ rest: @escaping Rest) {
    handle.post(.rest(rest))
  }

  /// The same for what a job of the store has brought: the store wakes the shards when its batch is
  /// answered.
  func enqueue(_ rest: @escaping Rest) {
    handle.enqueue(.rest(rest))
  }
}

extension Shard {
  var returnPath: ReturnPath { ReturnPath(handle) }
}
