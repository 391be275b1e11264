import Reactor
import TestSupport
import Testing

@testable import Gateway

@Suite("Deployment clock")
struct DeploymentClockTests {
  @Test("it goes with the system's clock")
  func goesAlong() {
    let clock = DeploymentClock(unix: 1_000_000, monotonic: 500)
    #expect(clock.reading(unix: 1_000_000, monotonic: 500) == 1_000_000)
    #expect(clock.reading(unix: 1_000_700, monotonic: 1200) == 1_000_700)
  }

  @Test("when the system's clock is set back it goes on at its own pace")
  func goesOn() {
    let clock = DeploymentClock(unix: 1_000_000, monotonic: 500)
    #expect(clock.reading(unix: 400_000, monotonic: 600) == 1_000_100)
    #expect(clock.reading(unix: 400_300, monotonic: 900) == 1_000_400)
  }

  @Test("when the system's clock is set forward it follows")
  func follows() {
    let clock = DeploymentClock(unix: 1_000_000, monotonic: 500)
    #expect(clock.reading(unix: 9_000_000, monotonic: 600) == 9_000_000)
    #expect(clock.reading(unix: 8_000_000, monotonic: 700) == 9_000_100)
  }

  @Test("it never goes back", arguments: UInt64(1)...10)
  func neverGoesBack(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (unix, monotonic): (Int64, Int64) = (1_000_000, 0)
    let clock = DeploymentClock(unix: unix, monotonic: monotonic)
    var last: Int64 = 0
    for _ in 0..<1000 {
      let step = Int64.random(in: 0...50, using: &generator)
      monotonic += step
      unix += step
      if Int.random(in: 0..<20, using: &generator) == 0 {
        unix += Int64.random(in: -5000...5000, using: &generator)
      }
      let time = clock.reading(unix: unix, monotonic: monotonic)
      #expect(time >= last && time >= unix)
      last = time
    }
  }

  @Test("in a cluster it is the steady clock and the cluster's offset, and never goes back")
  func cluster() {
    let clock = DeploymentClock(clusterOffset: { 1_000_000 })
    #expect(clock.reading(monotonic: 500, offset: 1_000_000) == 1_000_500)
    #expect(clock.reading(monotonic: 600, offset: 1_000_200) == 1_000_800)
    // A reading that was too high holds until the time has come.
    #expect(clock.reading(monotonic: 700, offset: 1_000_000) == 1_000_800)
    #expect(clock.reading(monotonic: 900, offset: 1_000_000) == 1_000_900)
    #expect(clock.reading(monotonic: 899, offset: 1_000_000) == 1_000_900)
  }

  @Test("in a cluster the system's own Unix time plays no part")
  func clusterAlone() {
    let ahead: Int64 = 3_600_000
    let offset = SystemClock.unixMilliseconds - SystemClock.monotonicMilliseconds
    // As if the system's clock had been set back by an hour since.
    for difference in [ahead, -ahead] {
      let start = SystemClock.monotonicMilliseconds
      let time = DeploymentClock(clusterOffset: { offset + difference }).now
      let end = SystemClock.monotonicMilliseconds
      #expect((start...end).contains(time - offset - difference))
    }
  }

  @Test("an offset that is not known is the one that was known at first")
  func unknownOffset() {
    let clock = DeploymentClock(clusterOffset: { 70 })
    #expect(clock.reading(monotonic: 10, offset: nil) == 80)
  }
}
