/// The number of characters sent to the service on a day (UTC).
package struct DailyBudget: Hashable, Sendable {
  /// The day, in days since 1970.
  package private(set) var day: Int64
  package private(set) var used: Int64

  package init(day: Int64 = 0, used: Int64 = 0) {
    self.day = day
    self.used = max(0, used)
  }

  /// Resets the count if the day is later than the current one.
  ///
  /// An earlier day, from a clock that was set back, keeps the count: a clock that moves back and
  /// forth at midnight does not grant a budget twice.
  mutating func begin(_ today: Int64) {
    if today > day { self = DailyBudget(day: today) }
    day = today
  }

  /// Counts characters if the limit allows them.
  ///
  /// - Parameter limit: The limit; 0 for none.
  /// - Returns: Whether the characters were counted.
  mutating func take(_ count: Int, of limit: Int64) -> Bool {
    guard limit == 0 || used + Int64(count) <= limit else { return false }
    used += Int64(count)
    return true
  }

  /// Subtracts characters that were not sent.
  mutating func giveBack(_ count: Int) { used = max(0, used - Int64(count)) }
}

/// The characters translated for each user on a day, so that no user takes the whole budget of the
/// day: once half of it is used, users with more than a tenth of it are refused.
///
/// Kept in memory only: a restart clears it.
struct DailyShares: Sendable {
  private let limit: Int64
  private var day: Int64 = 0
  private var used: [String: Int64] = [:]

  /// The maximum number of counted users, except those who used much.
  private static let countedUsers = 65_536

  /// - Parameter limit: The budget of a day; 0 for none.
  init(of limit: Int64) { self.limit = limit }

  /// Returns whether a user may use more of a budget; `nil`, the Platform API, always may.
  func admit(_ user: String?, _ budget: DailyBudget) -> Bool {
    guard limit > 0, let user, budget.used >= limit / 2 else { return true }
    return day != budget.day || used[user] ?? 0 <= limit / 10
  }

  mutating func add(_ count: Int, of user: String?, on today: Int64) {
    guard limit > 0, let user else { return }
    if today != day { (day, used) = (today, [:]) }
    used[user, default: 0] += Int64(count)
    guard used.count > 2 * Self.countedUsers else { return }
    // At most as many users as are counted can have used this much.
    used = used.filter { $0.value > limit / Int64(Self.countedUsers) }
  }

  /// Subtracts characters that were not sent.
  mutating func giveBack(_ count: Int, of user: String?) {
    guard let user, let had = used[user] else { return }
    used[user] = max(0, had - Int64(count))
  }
}
