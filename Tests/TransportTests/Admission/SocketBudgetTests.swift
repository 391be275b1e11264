import Testing

@testable import Transport

@Suite("Socket budget")
struct SocketBudgetTests {
  @Test("the budget is at ease up to the limit, then short, then exhausted")
  func verdicts() {
    let budget = SocketBudget(limit: 2, overdraft: 1, loops: 1)
    #expect((0..<4).map { _ in budget.take() } == [.atEase, .atEase, .short, .exhausted])
    budget.give()
    budget.give()
    #expect(budget.take() == .short)
  }

  @Test("the event loop with the oldest silence is selected")
  func loops() {
    let budget = SocketBudget(limit: 0, overdraft: 0, loops: 3)
    #expect(budget.loopWithOldest == nil)
    budget.note(50, on: 0)
    budget.note(20, on: 2)
    #expect(budget.loopWithOldest == 2)
    budget.note(nil, on: 2)
    #expect(budget.loopWithOldest == 0)
  }
}
