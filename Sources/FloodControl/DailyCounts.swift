/// Counts what users send and create today on one server, with what other servers have counted.
///
/// A day is one of UTC. The server's own counts go to a shared record from time to time, which answers with the
/// totals of all servers: until then a user may be counted only here. Users who are not near a limit are forgotten
/// after that, and counted again from the totals.
///
/// Pure: times are Unix milliseconds.
package struct DailyCounts: Sendable {
  /// Things that are counted.
  package enum Kind: Sendable, CaseIterable {
    case messages
    case channels
  }

  /// Numbers of each kind.
  package struct Numbers: Sendable, Hashable {
    package var messages: Int64 = 0
    package var channels: Int64 = 0

    package init(messages: Int64 = 0, channels: Int64 = 0) {
      self.messages = messages
      self.channels = channels
    }

    package subscript(kind: Kind) -> Int64 {
      get {
        switch kind {
        case .messages: messages
        case .channels: channels
        }
      }
      set {
        switch kind {
        case .messages: messages = newValue
        case .channels: channels = newValue
        }
      }
    }

    static func + (first: Numbers, second: Numbers) -> Numbers {
      Numbers(
        messages: first.messages + second.messages, channels: first.channels + second.channels)
    }
  }

  /// Counts that go to the record.
  package struct Batch: Sendable, Hashable {
    /// Days since 1970.
    package var day: Int64
    package var numbers: [String: Numbers]
  }

  private struct User {
    /// The total of all servers, as far as it was recorded.
    var recorded = Numbers()
    /// Counts that are on their way to the record.
    var leaving = Numbers()
    /// Counts that are not.
    var new = Numbers()

    var total: Numbers { recorded + leaving + new }
  }

  /// Above this number of users, those who are not near a limit are forgotten.
  static let usualCount = 10_000

  /// The length of a day in milliseconds.
  package static let day: Int64 = 86_400_000

  private var day: Int64 = .min
  private var users: [String: User] = [:]
  private var changed: Set<String> = []

  package init() {}

  /// Whether nothing is left to record.
  package var isIdle: Bool { changed.isEmpty }

  /// The number of users that are kept.
  package var userCount: Int { users.count }

  /// Counts one of a kind, unless a user has the limit.
  ///
  /// - Parameter limit: Above 0.
  /// - Returns: `nil` if it was counted, otherwise the milliseconds until the next day.
  package mutating func admit(
    _ userID: String, _ kind: Kind, limit: Int, at now: Int64
  ) -> Int64? {
    begin(at: now)
    let total = users[userID]?.total[kind] ?? 0
    guard total < limit else { return Self.day - now % Self.day }
    users[userID, default: User()].new[kind] += 1
    changed.insert(userID)
    return nil
  }

  /// Gives back one that was counted today, and was then refused.
  package mutating func giveBack(_ userID: String, _ kind: Kind, at now: Int64) {
    begin(at: now)
    guard let total = users[userID]?.total[kind], total > 0 else { return }
    users[userID]?.new[kind] -= 1
    changed.insert(userID)
  }

  /// The counts of a user as far as they are known here.
  package mutating func numbers(of userID: String, at now: Int64) -> Numbers {
    begin(at: now)
    return users[userID]?.total ?? Numbers()
  }

  /// Takes the counts of some users for the record; `nil` if there are none.
  ///
  /// Each batch is followed by ``adopt(_:of:limits:)`` or ``restore(_:)`` before the next.
  package mutating func takeBatch(limit: Int, at now: Int64) -> Batch? {
    begin(at: now)
    guard !changed.isEmpty else { return nil }
    var batch = Batch(day: day, numbers: [:])
    for userID in changed.prefix(limit) {
      guard let new = users[userID]?.new else { continue }
      batch.numbers[userID] = new
      users[userID]?.leaving = new
      users[userID]?.new = Numbers()
    }
    changed.subtract(batch.numbers.keys)
    return batch
  }

  /// Adopts the totals of the record for a batch.
  ///
  /// - Parameter limit: The lowest limit of a kind that is in force. When many users are known, those who have not
  ///   reached half of it are forgotten.
  package mutating func adopt(_ totals: [String: Numbers], of batch: Batch, limit: Int) {
    guard batch.day == day else { return }
    for userID in batch.numbers.keys {
      users[userID]?.leaving = Numbers()
      users[userID]?.recorded = totals[userID] ?? Numbers()
      guard users.count > Self.usualCount, let user = users[userID], user.new == Numbers() else {
        continue
      }
      let isNear = Kind.allCases.contains { user.recorded[$0] >= Int64(limit) / 2 }
      if !isNear { users[userID] = nil }
    }
  }

  /// Puts back a batch that was not recorded.
  package mutating func restore(_ batch: Batch) {
    guard batch.day == day else { return }
    for (userID, numbers) in batch.numbers {
      users[userID]?.leaving = Numbers()
      users[userID, default: User()].new = (users[userID]?.new ?? Numbers()) + numbers
      changed.insert(userID)
    }
  }

  private mutating func begin(at now: Int64) {
    let today = now / Self.day
    // A clock that is put back does not begin an earlier day again.
    guard today > day else { return }
    (day, users, changed) = (today, [:], [])
  }
}
