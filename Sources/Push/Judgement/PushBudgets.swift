internal import FloodControl

/// How much of a push remains when a user, or the sender of its message, has many.
package enum PushAllowance: Sendable, Hashable {
  /// The text and the badge.
  case full
  /// Only the badge, without an alert: the user has had many pushes.
  case badgeOnly
  /// Nothing: the sender's messages were pushed many times.
  case dropped
}

/// The pushes of the last minute by user and by sender.
///
/// Takes memory for the users of the last minute only.
package struct PushBudgets: Sendable {
  /// `push.per_user_per_minute` and `push.per_sender_per_minute`; 0 turns a limit off.
  package struct Limits: Sendable, Hashable {
    package var perUser = 30
    package var perSender = 1_000

    package init() {}
  }

  private static let windowMilliseconds: Int64 = 60_000

  package var limits: Limits
  private var users = FloodGate<String>(capacity: .max)
  private var senders = FloodGate<String>(capacity: .max)

  package init(limits: Limits = Limits()) { self.limits = limits }

  /// The number of windows that are kept.
  package var count: Int { users.windowCount + senders.windowCount }

  /// Counts a push of a message to a user.
  ///
  /// - Parameters:
  ///   - senderID: The author; `nil` for an admin message, whose pushes are not limited.
  ///   - now: Milliseconds of a steady clock.
  package mutating func admit(
    to userID: String, from senderID: String?, at now: Int64
  ) -> PushAllowance {
    if let senderID, senders.admit(senderID, at: now, limit: limit(limits.perSender)) != nil {
      return .dropped
    }
    return users.admit(userID, at: now, limit: limit(limits.perUser)) == nil ? .full : .badgeOnly
  }

  private func limit(_ count: Int) -> RateLimit {
    RateLimit(count: count, windowMilliseconds: Self.windowMilliseconds)
  }
}

/// Pushes that only clear what another device has read, at most one in ten seconds for a user.
package struct ClearingPushes: Sendable {
  private static let interval: Int64 = 10_000
  private static let leastSweep = 1_024

  private var last: [String: Int64] = [:]
  private var sweepCount = leastSweep

  package init() {}

  /// The time at which a user's clearing push may be sent; `nil` when one is already waiting for a later
  /// time, which will carry the newest badge.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  package mutating func time(for userID: String, at now: Int64) -> Int64? {
    if last.count >= sweepCount {
      last = last.filter { $0.value > now - Self.interval }
      sweepCount = max(Self.leastSweep, 2 * last.count)
    }
    guard let previous = last[userID] else {
      last[userID] = now
      return now
    }
    guard previous <= now else { return nil }
    let time = max(now, previous + Self.interval)
    last[userID] = time
    return time
  }
}
