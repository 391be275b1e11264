/// The characters that each user had translated in a minute of the clock, so that no user spends the
/// money of a paid service at the speed of its messages.
struct MinuteShares: Sendable {
  private static let milliseconds: Int64 = 60_000

  private let limit: Int64
  private var minute = Int64.min
  private var used: [String: Int64] = [:]

  /// - Parameter limit: The characters of a user in a minute; 0 for any number.
  init(of limit: Int64) { self.limit = limit }

  /// Counts characters of a user, if there is room for them; `nil` stands for the Platform API, which
  /// always has it.
  ///
  /// - Returns: Whether there was.
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

  /// Takes back what was not sent.
  mutating func giveBack(_ count: Int, of user: String?) {
    guard let user, let had = used[user] else { return }
    used[user] = max(0, had - Int64(count))
  }
}
