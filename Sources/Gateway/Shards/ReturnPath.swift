/// Continues an operation on the shard that started it, with the answer of the store, of the previews,
/// of the disk or of the authenticator.
///
/// The continuation is a closure, because it never leaves the process: only a shard itself creates its
/// return path, before the operation. Requests from one shard to another are always a `ShardMessage`.
struct ReturnPath: Sendable {
  /// Runs on the shard's thread, with access to its state.
  typealias Rest = @Sendable (Shard) -> Void

  private let handle: ShardHandle

  fileprivate init(_ handle: ShardHandle) { self.handle = handle }

  /// Runs the continuation on the shard, after all mail that was posted there earlier.
  ///
  /// On any thread.
  func resume(_ rest: @escaping Rest) {
    handle.post(.rest(rest))
  }

  /// Runs the continuation of a store job on the shard.
  ///
  /// The store wakes the shards when its batch is answered.
  func enqueue(_ rest: @escaping Rest) {
    handle.enqueue(.rest(rest))
  }
}

extension Shard {
  var returnPath: ReturnPath { ReturnPath(handle) }
}
