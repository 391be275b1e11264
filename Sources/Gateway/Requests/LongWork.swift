import Store

/// The work at one long request; confined to the first shard.
protocol LongWork: AnyObject {
  /// Does a bounded part of the work, after the recorded position.
  ///
  /// - Parameter completion: Called once, on the shard.
  func step(_ completion: @escaping (LongRequestRun.Step) -> Void)

  /// Called once an ending is recorded.
  func didEnd()
}

extension LongWork {
  func didEnd() {}
}
