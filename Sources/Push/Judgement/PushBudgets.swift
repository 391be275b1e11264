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
  /// The number of windows above which empty ones are looked for.
  private static let leastSweep = 1_024

  package var limits: Limits
  private var users: [String: SlidingWindow] = [:]
  private var senders: [String: SlidingWindow] = [:]
  private var sweepCount = leastSweep

  package init(limits: Limits = Limits()) { self.limits = limits }

  /// The number of windows that are kept.
  package var count: Int { users.count + senders.count }

  /// Counts a push of a message to a user.
  ///
  /// - Parameters:
  ///   - senderID: The author; `nil` for an admin message, whose pushes are not limited.
  ///   - now: Milliseconds of a steady clock.
  package mutating func admit(
    to userID: String, from senderID: String?, at now: Int64
  ) -> PushAllowance {
    sweepIfNeeded(at: now)
    if let senderID, !Self.admit(senderID, to: &senders, limit(limits.perSender), at: now) {
      return .dropped
    }
    return Self.admit(userID, to: &users, limit(limits.perUser), at: now) ? .full : .badgeOnly
  }

  private func limit(_ count: Int) -> RateLimit {
    RateLimit(count: count, windowMilliseconds: Self.windowMilliseconds)
  }

  private static func admit(
    _ id: String, to windows: inout [String: SlidingWindow], _ limit: RateLimit, at now: Int64
  ) -> Bool {
    guard !limit.isOff else { return true }
    return windows[id, default: SlidingWindow()].admit(at: now, limit: limit) == nil
  }

  /// Removes empty windows once their number has doubled.
  private mutating func sweepIfNeeded(at now: Int64) {
    guard count >= sweepCount else { return }
    let (user, sender) = (limit(limits.perUser), limit(limits.perSender))
    users = users.filter { !$0.value.isEmpty(at: now, limit: user) }
    senders = senders.filter { !$0.value.isEmpty(at: now, limit: sender) }
    sweepCount = max(Self.leastSweep, 2 * count)
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
