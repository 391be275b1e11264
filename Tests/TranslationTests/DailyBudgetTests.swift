import Testing

@testable import Translation

@Suite("The translation budget of a day")
struct DailyBudgetTests {
  @Test("a later day begins with nothing used, and an earlier one keeps the usage")
  func days() {
    var budget = DailyBudget(day: 5, used: 7)
    budget.begin(5)
    #expect(budget == DailyBudget(day: 5, used: 7))
    budget.begin(4)
    #expect(budget == DailyBudget(day: 4, used: 7))
    budget.begin(5)
    #expect(budget == DailyBudget(day: 5))
  }
}
