/// The push jobs that a store writes, and the callback for its reports.
package struct PushJobOptions: ArrivalOptions {
  /// The time from a message to its push (`push.delay_ms`).
  package var delayMilliseconds: Int64
  /// Whether messages of open channels are pushed to the users whom they mention.
  package var pushesOpenChannelMentions: Bool
  /// Called after the commit that stored the jobs, on the thread that wrote them.
  package var didQueue: @Sendable ([PushArrival]) -> Void

  package init(
    delayMilliseconds: Int64 = 0, pushesOpenChannelMentions: Bool = false,
    didQueue: @escaping @Sendable ([PushArrival]) -> Void
  ) {
    self.delayMilliseconds = delayMilliseconds
    self.pushesOpenChannelMentions = pushesOpenChannelMentions
    self.didQueue = didQueue
  }
}

/// A new push job.
package struct PushArrival: Sendable, Hashable {
  package var lane: OutboxLane
  /// Unix milliseconds.
  package var dueAt: Int64
}
