import Transport

/// What one node has to deliver of a channel's events: the same to nearly all, and something else
/// to a few.
struct FanOutPlan: Sendable {
  /// At most so many events fit into one plan.
  static let capacity = 64

  /// A set of a plan's events, by their index.
  struct Share: Hashable, Sendable {
    var bits: UInt64

    static func all(of count: Int) -> Share {
      Share(bits: count >= 64 ? .max : (1 << UInt64(count)) - 1)
    }

    var count: Int { bits.nonzeroBitCount }

    func contains(_ index: Int) -> Bool { bits & (1 << UInt64(index)) != 0 }

    mutating func remove(_ index: Int) { bits &= ~(1 << UInt64(index)) }
  }

  /// A connection that gets another share than most.
  struct Exception: Sendable {
    let connection: ConnectionID
    let share: Share
  }

  let channelURL: String
  /// The events as JSON texts, in order.
  let payloads: [[UInt8]]
  /// What everyone gets who is not named in ``exceptions``.
  let common: Share
  /// Those of this node, each named once.
  let exceptions: [Exception]
}
