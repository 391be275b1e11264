import Testing

@testable import Push

@Suite("Budgets of pushes")
struct PushBudgetsTests {
  @Test("a user gets 30 full pushes a minute, then only the badge")
  func user() {
    var budgets = PushBudgets()
    for index in 0..<30 {
      #expect(budgets.admit(to: "mia", from: "jeff\(index)", at: 0) == .full)
    }
    #expect(budgets.admit(to: "mia", from: "jeff", at: 59_999) == .badgeOnly)
    #expect(budgets.admit(to: "zoe", from: "jeff", at: 59_999) == .full)
    #expect(budgets.admit(to: "mia", from: "jeff", at: 60_000) == .full)
  }

  @Test("a sender causes 1,000 pushes a minute, then none")
  func sender() {
    var budgets = PushBudgets()
    for index in 0..<1_000 {
      #expect(budgets.admit(to: "user\(index)", from: "jeff", at: 0) == .full)
    }
    #expect(budgets.admit(to: "mia", from: "jeff", at: 1) == .dropped)
    #expect(budgets.admit(to: "mia", from: "zoe", at: 1) == .full)
    #expect(budgets.admit(to: "mia", from: nil, at: 1) == .full)
    #expect(budgets.admit(to: "mia", from: "jeff", at: 60_000) == .full)
  }

  @Test("zero turns a limit off")
  func off() {
    var budgets = PushBudgets()
    (budgets.limits.perUser, budgets.limits.perSender) = (0, 0)
    for _ in 0..<5_000 { #expect(budgets.admit(to: "mia", from: "jeff", at: 0) == .full) }
    #expect(budgets.count == 0)
  }

  @Test("users of the minutes before are forgotten")
  func memory() {
    var budgets = PushBudgets()
    for index in 0..<50_000 {
      _ = budgets.admit(to: "user\(index)", from: "sender\(index)", at: Int64(index) * 1_000)
    }
    #expect(budgets.count < 3_000)
  }

  @Test("clearing pushes are ten seconds apart, and one waits")
  func clearing() {
    var pushes = ClearingPushes()
    #expect(pushes.time(for: "mia", at: 0) == 0)
    #expect(pushes.time(for: "mia", at: 1_000) == 10_000)
    #expect(pushes.time(for: "mia", at: 2_000) == nil)
    #expect(pushes.time(for: "zoe", at: 2_000) == 2_000)
    #expect(pushes.time(for: "mia", at: 10_000) == 20_000)
    #expect(pushes.time(for: "mia", at: 60_000) == 60_000)
  }
}
