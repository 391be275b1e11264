import Testing

@testable import Gateway

@Suite("Platform API calls that wait for a judge")
struct PendingPlatformCallsTests {
  @Test("calls end in any order, each by its own number, and once")
  func numbers() {
    var calls = PendingPlatformCalls()
    let numbers = (0..<3).map { _ in calls.begin { _, _ in } }
    #expect(Set(numbers).count == 3)
    for number in [numbers[1], numbers[0], numbers[2]] {
      let completions = [calls.end(number), calls.end(number)]
      #expect(completions[0] != nil && completions[1] == nil)
    }
  }
}
