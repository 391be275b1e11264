import Testing

@testable import FloodControl

@Suite("Counts of a day")
struct DailyCountsTests {
  private static let noon: Int64 = 20_000 * DailyCounts.day + DailyCounts.day / 2

  @Test("a user is admitted up to the limit, until midnight UTC")
  func limit() {
    var counts = DailyCounts()
    for _ in 0..<3 { #expect(counts.admit("ann", .messages, limit: 3, at: Self.noon) == nil) }
    #expect(counts.admit("ann", .messages, limit: 3, at: Self.noon) == DailyCounts.day / 2)
    #expect(counts.admit("ann", .channels, limit: 3, at: Self.noon) == nil)
    #expect(counts.admit("bob", .messages, limit: 3, at: Self.noon) == nil)
    counts.giveBack("ann", .messages, at: Self.noon)
    #expect(counts.admit("ann", .messages, limit: 3, at: Self.noon) == nil)
    let morning = Self.noon + DailyCounts.day / 2
    #expect(counts.admit("ann", .messages, limit: 3, at: morning - 1) == 1)
    #expect(counts.admit("ann", .messages, limit: 3, at: morning) == nil)
    #expect(counts.userCount == 1)
    // A clock that is put back does not give a second day.
    #expect(counts.numbers(of: "ann", at: Self.noon).messages == 1)
  }

  @Test("counts go to the record once, and the totals of all servers come back")
  func record() {
    var counts = DailyCounts()
    #expect(counts.takeBatch(limit: 10, at: Self.noon) == nil)
    for _ in 0..<2 { _ = counts.admit("ann", .messages, limit: 9, at: Self.noon) }
    let batch = counts.takeBatch(limit: 10, at: Self.noon)
    #expect(batch?.numbers == ["ann": DailyCounts.Numbers(messages: 2)] && batch?.day == 20_000)
    _ = counts.admit("ann", .messages, limit: 9, at: Self.noon)
    #expect(counts.numbers(of: "ann", at: Self.noon).messages == 3)
    if let batch { counts.adopt(["ann": .init(messages: 7)], of: batch, limit: 9) }
    #expect(counts.numbers(of: "ann", at: Self.noon).messages == 8)
    #expect(counts.admit("ann", .messages, limit: 9, at: Self.noon) == nil)
    #expect(counts.admit("ann", .messages, limit: 9, at: Self.noon) != nil)
    #expect(counts.takeBatch(limit: 10, at: Self.noon)?.numbers["ann"]?.messages == 2)
    #expect(counts.isIdle)
  }

  @Test("a batch that was not recorded goes again")
  func failure() {
    var counts = DailyCounts()
    for user in ["ann", "bob", "cat"] {
      _ = counts.admit(user, .channels, limit: 9, at: Self.noon)
    }
    guard let batch = counts.takeBatch(limit: 2, at: Self.noon) else {
      Issue.record("no batch")
      return
    }
    #expect(batch.numbers.count == 2 && !counts.isIdle)
    for user in batch.numbers.keys { _ = counts.admit(user, .channels, limit: 9, at: Self.noon) }
    counts.restore(batch)
    let again = counts.takeBatch(limit: 10, at: Self.noon)
    #expect(again?.numbers.values.map(\.channels).sorted() == [1, 2, 2])
    // Of a day that has ended.
    let tomorrow = Self.noon + DailyCounts.day
    #expect(counts.numbers(of: "ann", at: tomorrow).channels == 0)
    counts.restore(batch)
    #expect(counts.isIdle)
  }

  @Test("among many users, those who are not near the limit are forgotten")
  func bounds() {
    var counts = DailyCounts()
    _ = counts.admit("near", .messages, limit: 10, at: Self.noon)
    for number in 0...DailyCounts.usualCount {
      _ = counts.admit("user \(number)", .messages, limit: 10, at: Self.noon)
    }
    guard let batch = counts.takeBatch(limit: .max, at: Self.noon) else { return }
    var totals = batch.numbers
    totals["near"]?.messages = 5
    counts.adopt(totals, of: batch, limit: 10)
    #expect(counts.userCount <= DailyCounts.usualCount + 1)
    #expect(counts.numbers(of: "near", at: Self.noon).messages == 5)
  }
}
