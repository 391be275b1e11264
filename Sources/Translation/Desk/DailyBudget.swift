/// The characters that were sent to the service on a day (UTC).
package struct DailyBudget: Hashable, Sendable {
  /// Days since 1970.
  package private(set) var day: Int64
  package private(set) var used: Int64

  package init(day: Int64 = 0, used: Int64 = 0) {
    self.day = day
    self.used = max(0, used)
  }

  /// Begins with nothing used, if the day is a later one.
  ///
  /// An earlier day, of a clock that was set back, goes on with what is used: a clock that goes to and fro
  /// at midnight gives no budget twice.
  mutating func begin(_ today: Int64) {
    if today > day { self = DailyBudget(day: today) }
    day = today
  }

  /// Counts characters, if there is room for them.
  ///
  /// - Parameter limit: 0 for none.
  /// - Returns: Whether there was.
  mutating func take(_ count: Int, of limit: Int64) -> Bool {
    guard limit == 0 || used + Int64(count) <= limit else { return false }
    used += Int64(count)
    return true
  }

  /// Takes back what was not sent.
  mutating func giveBack(_ count: Int) { used = max(0, used - Int64(count)) }
}

/// The characters that each user had translated on a day, so that no user takes the day's budget from
/// all others: once half of it is used, those who had more than a tenth of it get no more.
///
/// Kept in memory: a restart forgets it.
struct DailyShares: Sendable {
  private let limit: Int64
  private var day: Int64 = 0
  private var used: [String: Int64] = [:]

  /// More users than this are not counted, but for those who used much.
  private static let countedUsers = 65_536

  /// - Parameter limit: The budget of a day; 0 for none.
  init(of limit: Int64) { self.limit = limit }

  /// Whether a user may have more of a budget; `nil` stands for the Platform API, which always may.
  func admit(_ user: String?, _ budget: DailyBudget) -> Bool {
    guard limit > 0, let user, budget.used >= limit / 2 else { return true }
    return day != budget.day || used[user] ?? 0 <= limit / 10
  }

  mutating func add(_ count: Int, of user: String?, on today: Int64) {
    guard limit > 0, let user else { return }
    if today != day { (day, used) = (today, [:]) }
    used[user, default: 0] += Int64(count)
    guard used.count > 2 * Self.countedUsers else { return }
    // No more users than are counted can have used this much.
    used = used.filter { $0.value > limit / Int64(Self.countedUsers) }
  }

  /// Takes back what was not sent.
  mutating func giveBack(_ count: Int, of user: String?) {
    guard let user, let had = used[user] else { return }
    used[user] = max(0, had - Int64(count))
  }
}
