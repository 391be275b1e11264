import Testing

@testable import FloodControl

@Suite("Sliding window")
struct SlidingWindowTests {
  private let five = RateLimit(count: 5, windowMilliseconds: 1000)

  @Test("five messages at once pass, the sixth waits for the whole window")
  func burst() {
    var window = SlidingWindow()
    for _ in 0..<5 { #expect(window.admit(at: 7000, limit: five) == nil) }
    #expect(window.admit(at: 7000, limit: five) == 1000)
    #expect(window.admit(at: 7999, limit: five) == 1)
    #expect(window.admit(at: 8000, limit: five) == nil)
  }

  @Test("the window slides: capacity is freed one message at a time")
  func sliding() {
    var window = SlidingWindow()
    for time in stride(from: Int64(0), to: 1000, by: 200) {
      #expect(window.admit(at: time, limit: five) == nil)
    }
    #expect(window.admit(at: 999, limit: five) == 1)
    #expect(window.admit(at: 1000, limit: five) == nil)
    #expect(window.admit(at: 1000, limit: five) == 200)
    #expect(window.admit(at: 1200, limit: five) == nil)
  }

  @Test("a refusal changes nothing")
  func refusalLeavesNoTrace() {
    var window = SlidingWindow()
    for _ in 0..<5 { _ = window.admit(at: 0, limit: five) }
    let admitted = (0..<1000).filter { window.admit(at: Int64($0), limit: five) == nil }
    #expect(admitted.isEmpty)
    #expect(window.admit(at: 1000, limit: five) == nil)
  }

  @Test("a time before the last one counts as the last one")
  func backwardClock() {
    var window = SlidingWindow()
    let one = RateLimit(count: 1, windowMilliseconds: 100)
    #expect(window.admit(at: 500, limit: one) == nil)
    #expect(window.admit(at: 10, limit: one) == 100)
    #expect(window.admit(at: Int64.min, limit: one) == 100)
    #expect(window.admit(at: Int64.max, limit: one) == nil)
  }

  @Test(
    "a count or a window of zero disables the limit, and nothing is counted",
    arguments: [(0, 1000), (5, 0)])
  func off(count: Int, milliseconds: Int64) {
    var window = SlidingWindow()
    let off = RateLimit(count: count, windowMilliseconds: milliseconds)
    for _ in 0..<100 { #expect(window.admit(at: 0, limit: off) == nil) }
    #expect(window.isEmpty(at: 0, limit: five))
    for _ in 0..<5 { #expect(window.admit(at: 0, limit: five) == nil) }
  }

  @Test("recorded messages take capacity without an admission check")
  func recorded() {
    var window = SlidingWindow()
    for _ in 0..<8 { window.record(at: 100, limit: five) }
    #expect(!window.hasRoom(at: 1099, limit: five))
    #expect(window.admit(at: 1099, limit: five) == 1)
    #expect(window.hasRoom(at: 1100, limit: five))
  }

  @Test("an admission that is undone frees its capacity")
  func retraction() {
    var window = SlidingWindow()
    for time in [10, 20, 20, 30, 40] { #expect(window.admit(at: Int64(time), limit: five) == nil) }
    window.retract(at: 25)
    #expect(!window.hasRoom(at: 50, limit: five))
    window.retract(at: 20)
    #expect(window.admit(at: 50, limit: five) == nil)
    #expect(window.admit(at: 50, limit: five) == 960)
  }

  @Test("undoing all admissions leaves an empty window")
  func retractionOfAll() {
    var window = SlidingWindow()
    _ = window.admit(at: 10, limit: five)
    window.retract(at: 10)
    window.retract(at: 10)
    #expect(window.isEmpty(at: 10, limit: five))
  }

  @Test("a window is empty again when its last admission is a window old")
  func emptiness() {
    var window = SlidingWindow()
    #expect(window.isEmpty(at: 0, limit: five))
    _ = window.admit(at: 100, limit: five)
    #expect(!window.isEmpty(at: 1099, limit: five))
    #expect(window.isEmpty(at: 1100, limit: five))
  }

  @Test("up to ten thousand admissions are tracked, even if the limit is higher")
  func largestCount() {
    var window = SlidingWindow()
    let limit = RateLimit(count: 1_000_000, windowMilliseconds: 60_000)
    let refused = (0..<RateLimit.maximumCount).filter { time in
      window.admit(at: Int64(time), limit: limit) != nil
    }
    #expect(refused.isEmpty)
    #expect(window.admit(at: 10_000, limit: limit) == 50_000)
  }

  @Test("an unused window takes only two words")
  func size() {
    #expect(MemoryLayout<SlidingWindow>.size <= 16)
  }
}
