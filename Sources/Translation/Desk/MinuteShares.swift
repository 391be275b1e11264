/// The characters translated for each user in a minute of the clock, so that no user can spend the
/// money for a paid service as fast as it can send messages.
struct MinuteShares: Sendable {
  private static let milliseconds: Int64 = 60_000

  private let limit: Int64
  private var minute = Int64.min
  private var used: [String: Int64] = [:]

  /// - Parameter limit: The maximum characters of a user in a minute; 0 for no limit.
  init(of limit: Int64) { self.limit = limit }

  /// Counts characters of a user if the limit allows them; `nil` stands for the Platform API, which
  /// has no limit.
  ///
  /// - Returns: Whether the characters were counted.
  mutating func take(_ count: Int, of user: String?, at now: Int64) -> Bool {
    guard limit > 0, let user else { return true }
    if now / Self.milliseconds != minute {
      (minute, used) = (now / Self.milliseconds, [:])
    }
    let sum = used[user, default: 0] + Int64(count)
    guard sum <= limit else { return false }
    used[user] = sum
    return true
  }

  /// Subtracts characters that were not sent.
  mutating func giveBack(_ count: Int, of user: String?) {
    guard let user, let had = used[user] else { return }
    used[user] = max(0, had - Int64(count))
  }
}
