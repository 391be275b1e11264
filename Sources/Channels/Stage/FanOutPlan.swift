/// The deliveries of one turn's events to the subscribers on one shard: the same events to nearly all,
/// and others to a few.
package struct FanOutPlan: Sendable {
  /// Events in one plan, at most.
  package static let capacity = 64

  /// A set of a plan's events, by their index.
  package struct Share: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64) {
      self.bits = bits
    }

    package static func all(of count: Int) -> Share {
      Share(bits: count >= 64 ? .max : (1 << UInt64(count)) - 1)
    }

    package var count: Int { bits.nonzeroBitCount }

    package func contains(_ index: Int) -> Bool { bits & (1 << UInt64(index)) != 0 }

    package mutating func remove(_ index: Int) { bits &= ~(1 << UInt64(index)) }
  }

  /// A connection that gets another share than most.
  package struct Exception: Sendable {
    /// As in its ``SessionAddress``.
    package let connection: UInt64
    package let share: Share

    package init(connection: UInt64, share: Share) {
      self.connection = connection
      self.share = share
    }
  }

  package let channelURL: String
  /// The events as JSON texts, in order.
  package let payloads: [[UInt8]]
  /// The share of all who are not named in ``exceptions``.
  package let common: Share
  /// Connections of this shard, each at most once.
  package let exceptions: [Exception]

  package init(
    channelURL: String, payloads: [[UInt8]], common: Share, exceptions: [Exception]
  ) {
    self.channelURL = channelURL
    self.payloads = payloads
    self.common = common
    self.exceptions = exceptions
  }
}
