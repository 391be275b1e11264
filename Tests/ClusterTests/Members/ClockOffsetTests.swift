import Cluster
import Testing

@Suite("The offset of the registry's clock")
struct ClockOffsetTests {
  @Test("a sample is measured on the steady clock, at the middle of its round trip")
  func sample() {
    let sample = ClockSample(of: 1_000_000, between: 400, and: 420)
    #expect(sample == ClockSample(offset: 999_590, roundTrip: 20))
  }

  @Test("no offset is known before the first sample")
  func unknown() {
    var offset = ClockOffset()
    #expect(offset.milliseconds == nil)
    offset.add(ClockSample(offset: 7, roundTrip: 1), at: 0)
    #expect(offset.milliseconds == 7)
  }

  @Test("the sample with the shortest round trip is used, and of equal ones the newest")
  func best() {
    var offset = ClockOffset()
    offset.add(ClockSample(offset: 100, roundTrip: 2), at: 0)
    offset.add(ClockSample(offset: 140, roundTrip: 90), at: 500)
    #expect(offset.milliseconds == 100)
    offset.add(ClockSample(offset: 103, roundTrip: 2), at: 1_000)
    #expect(offset.milliseconds == 103)
  }

  @Test("a clock step applies immediately, however long its sample's round trip was")
  func step() {
    var offset = ClockOffset()
    for time in 0..<10 { offset.add(ClockSample(offset: 0, roundTrip: 0), at: Int64(time) * 500) }
    offset.add(ClockSample(offset: 60_000, roundTrip: 30), at: 5_000)
    #expect(offset.milliseconds == 60_000)
  }

  @Test("old samples expire")
  func forgetting() {
    var offset = ClockOffset()
    offset.add(ClockSample(offset: 0, roundTrip: 0), at: 0)
    for time in 1...15 { offset.add(ClockSample(offset: 6, roundTrip: 3), at: Int64(time) * 500) }
    #expect(offset.milliseconds == 0)
    offset.add(ClockSample(offset: 6, roundTrip: 3), at: 8_000)
    #expect(offset.milliseconds == 6)
  }

  @Test("the time of a server that was ahead advances at half speed until it is correct")
  func falling() {
    var offset = ClockOffset()
    var time: Int64 = 0
    var last: Int64?
    offset.add(ClockSample(offset: 900, roundTrip: 0), at: time)
    for _ in 0..<3 {
      time += 500
      offset.add(ClockSample(offset: 0, roundTrip: 0), at: time)
      let known = offset.milliseconds ?? 0
      if let last { #expect(time + known - last == 250) }
      last = time + known
    }
    for _ in 0..<2 {
      time += 500
      offset.add(ClockSample(offset: 0, roundTrip: 0), at: time)
    }
    #expect(offset.milliseconds == 0)
  }

  @Test("a step back applies immediately")
  func stepBack() {
    var offset = ClockOffset()
    for time in 0..<10 {
      offset.add(ClockSample(offset: 3_600_000, roundTrip: 2), at: Int64(time) * 500)
    }
    offset.add(ClockSample(offset: 0, roundTrip: 30), at: 5_000)
    #expect(offset.milliseconds == 0)
  }
}
