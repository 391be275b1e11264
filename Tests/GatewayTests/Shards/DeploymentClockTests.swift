import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Deployment clock")
struct DeploymentClockTests {
  @Test("it follows its source")
  func follows() {
    let clock = DeploymentClock { 0 }
    #expect(clock.reading(1_000_000) == 1_000_000)
    #expect(clock.reading(1_000_700) == 1_000_700)
  }

  @Test("a step forward and a step back are followed at once")
  func steps() {
    let clock = DeploymentClock { 0 }
    #expect(clock.reading(1_000_000) == 1_000_000)
    #expect(clock.reading(4_600_000) == 4_600_000)
    #expect(clock.reading(1_001_500) == 1_001_500)
    #expect(clock.reading(1_001_600) == 1_001_600)
  }

  @Test("a fall of up to a second is waited out")
  func falls() {
    let clock = DeploymentClock { 0 }
    #expect(clock.reading(1_000_000) == 1_000_000)
    #expect(clock.reading(999_000) == 1_000_000)
    #expect(clock.reading(999_999) == 1_000_000)
    #expect(clock.reading(1_000_001) == 1_000_001)
    #expect(clock.reading(999_000) == 999_000)
  }

  @Test("it is never more than a second from its source", arguments: UInt64(1)...10)
  func staysNear(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var source: Int64 = 1_000_000
    let clock = DeploymentClock { 0 }
    for _ in 0..<1000 {
      source += Int64.random(in: 0...50, using: &generator)
      if Int.random(in: 0..<20, using: &generator) == 0 {
        source += Int64.random(in: -5000...5000, using: &generator)
      }
      let time = clock.reading(source)
      #expect(time >= source && time - source <= DeploymentClock.tolerance)
    }
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
