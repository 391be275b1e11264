import Testing

@testable import LoadGenerator

@Suite("Send schedule")
struct SendScheduleTests {
  @Test("times follow the rate without drift")
  func noDrift() {
    var schedule = SendSchedule(start: 1000, perSecond: 3)
    for _ in 0..<3_000_000 { schedule.advance() }
    #expect(schedule.next == 1000 + 1_000_000_000_000_000)
  }

  @Test("the first message waits for its phase")
  func phase() {
    var schedule = SendSchedule(start: 0, perSecond: 4, phase: 0.5)
    #expect(schedule.next == 125_000_000)
    schedule.advance()
    #expect(schedule.next == 375_000_000)
  }
}
