import Channels
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Deployment clock")
struct DeploymentClockTests {
  private func time(_ clock: DeploymentClock, _ unix: Int64, _ monotonic: Int64) -> Int64 {
    clock.moment(unix: unix, monotonic: monotonic).unix
  }

  @Test("it follows its source")
  func follows() {
    let clock = DeploymentClock { 0 }
    #expect(time(clock, 1_000_000, 500) == 1_000_000)
    #expect(time(clock, 1_000_700, 1_200) == 1_000_700)
    #expect(clock.moment(unix: 1_000_700, monotonic: 1_200).monotonic == 1_200)
  }

  @Test("steps forward and back are followed immediately")
  func steps() {
    let clock = DeploymentClock { 0 }
    #expect(time(clock, 1_000_000, 0) == 1_000_000)
    #expect(time(clock, 4_600_000, 10) == 4_600_000)
    #expect(time(clock, 1_001_500, 20) == 1_001_500)
    #expect(time(clock, 1_001_600, 120) == 1_001_600)
  }

  @Test("after a step back of up to a second the clock holds its time")
  func falls() {
    let clock = DeploymentClock { 0 }
    #expect(time(clock, 1_000_000, 0) == 1_000_000)
    #expect(time(clock, 999_100, 100) == 1_000_000)
    #expect(time(clock, 999_999, 999) == 1_000_000)
    #expect(time(clock, 1_000_001, 1_001) == 1_000_001)
  }

  @Test("intervals equal those of the steady clock")
  func phases() {
    let clock = DeploymentClock { 0 }
    // The milliseconds of the two clocks begin at different moments, and the source runs slow.
    for microseconds in stride(from: Int64(0), to: 1_000_000, by: 137) {
      let unix = 1_000_000 + (microseconds * 99_999 / 100_000 + 700) / 1_000
      let moment = clock.moment(unix: unix, monotonic: microseconds / 1_000)
      #expect(moment.unix - moment.monotonic == 1_000_001 || microseconds < 1_000)
    }
  }

  @Test("it is never more than a second off its source", arguments: UInt64(1)...10)
  func staysNear(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (source, monotonic): (Int64, Int64) = (1_000_000, 0)
    let clock = DeploymentClock { 0 }
    for _ in 0..<1000 {
      let pause = Int64.random(in: 0...50, using: &generator)
      source += pause
      monotonic += pause
      if Int.random(in: 0..<20, using: &generator) == 0 {
        source += Int64.random(in: -5000...5000, using: &generator)
      }
      let time = time(clock, source, monotonic)
      #expect(time >= source && time - source <= DeploymentClock.tolerance + DeploymentClock.drift)
    }
  }

  @Test("in a cluster the system's Unix time has no influence")
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

  @Test("an unknown offset is replaced by the first known one")
  func unknownOffset() {
    let offset = Offset(70_000_000)
    let clock = DeploymentClock(clusterOffset: { offset.value })
    offset.value = nil
    let start = SystemClock.monotonicMilliseconds
    let time = clock.now
    #expect((start...SystemClock.monotonicMilliseconds).contains(time - 70_000_000))
  }
}

/// The offset of a cluster's clock.
private final class Offset: Sendable {
  private let known: Mutex<Int64?>

  init(_ value: Int64?) { known = Mutex(value) }

  var value: Int64? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }
}
