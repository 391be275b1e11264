import ParleyProtocol

/// The count of a channel's durable events, and the times that its messages carry.
struct EventCount: Sendable {
  /// The number of the last event that was published.
  private(set) var last: Int64
  /// The number of the last event that the log recorded: the same, except in an ephemeral channel,
  /// whose own count lives in memory only.
  private(set) var recorded: Int64
  private var lastCreatedAt: Int64
  private let isEphemeral: Bool

  init(_ state: ChannelState) {
    isEphemeral = state.channel.isEphemeral
    last = isEphemeral ? 0 : state.lastSeq
    recorded = state.lastSeq
    lastCreatedAt = state.lastCreatedAt
  }

  /// The `created_at` that a message accepted now would carry: it never decreases.
  func nextCreatedAt(at now: Int64) -> Int64 { max(now, lastCreatedAt) }

  /// The `created_at` of a message accepted now.
  mutating func createdAt(at now: Int64) -> Int64 {
    lastCreatedAt = nextCreatedAt(at: now)
    return lastCreatedAt
  }

  /// Numbers an event that the log has recorded under a number of its own.
  mutating func number(_ seq: Int64) -> Int64 {
    recorded = max(recorded, seq)
    guard isEphemeral else {
      last = max(last, seq)
      return seq
    }
    return next()
  }

  /// Numbers an event that the log does not keep.
  mutating func next() -> Int64 {
    last += 1
    return last
  }
}
