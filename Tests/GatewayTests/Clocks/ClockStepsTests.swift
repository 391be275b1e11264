import Channels
import Testing

@testable import Gateway

@Suite("Clock steps")
struct ClockStepsTests {
  @Test("a clock that runs, slowly or fast, causes none")
  func none() {
    var steps = ClockSteps(at: Moment(unix: 1_000_000, monotonic: 5))
    for second in 1...10_000 {
      let time = Int64(second) * 1_000
      let unix = 1_000_000 + time + time / 2_000
      #expect(steps.look(at: Moment(unix: unix, monotonic: 5 + time)) == nil)
    }
  }

  @Test(
    "each is detected once, with its direction",
    arguments: [3_600_000, -3_600_000, 1_000, -1_000] as [Int64])
  func step(by size: Int64) {
    var steps = ClockSteps(at: Moment(unix: 1_000_000, monotonic: 0))
    #expect(steps.look(at: Moment(unix: 1_001_000, monotonic: 1_000)) == nil)
    #expect(steps.look(at: Moment(unix: 1_002_000 + size, monotonic: 2_000)) == size)
    #expect(steps.look(at: Moment(unix: 1_003_000 + size, monotonic: 3_000)) == nil)
    #expect(steps.look(at: Moment(unix: 1_004_000, monotonic: 4_000)) == -size)
  }

  @Test("changes of less than a second are ignored")
  func small() {
    var steps = ClockSteps(at: Moment(unix: 1_000_000, monotonic: 0))
    #expect(steps.look(at: Moment(unix: 1_001_999, monotonic: 1_000)) == nil)
    #expect(steps.look(at: Moment(unix: 1_002_000, monotonic: 2_000)) == nil)
  }
}
