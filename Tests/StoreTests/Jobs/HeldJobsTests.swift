import Testing

@testable import Store

@Suite("Jobs that wait for a database")
struct HeldJobsTests {
  @Test("are taken in order, each with its own deadline")
  func order() {
    var held = HeldJobs<Int>(milliseconds: 5, capacity: 10)
    held.hold([1, 2], until: nil, at: 1_000_000)
    held.hold([3], until: nil, at: 3_000_000)
    held.hold([4], until: 7_000_000, at: 4_000_000)
    held.hold([], until: nil, at: 5_000_000)
    let batches = held.takeAll()
    #expect(batches.map { Array($0.jobs) } == [[1, 2], [3], [4]])
    #expect(batches.map(\.deadline) == [6_000_000, 8_000_000, 7_000_000])
    #expect(held.isEmpty && held.count == 0)
  }

  @Test("fail when their time is over, and not before")
  func expiry() {
    var held = HeldJobs<Int>(milliseconds: 5, capacity: 10)
    held.hold([1, 2], until: nil, at: 0)
    held.hold([3], until: nil, at: 1_000_000)
    #expect(held.takeExpired(at: 4_999_999) == [])
    #expect(held.takeExpired(at: 5_000_000) == [1, 2])
    #expect(held.count == 1)
    #expect(held.takeExpired(at: 9_000_000) == [3])
    #expect(held.isEmpty)
  }

  @Test("have limited room, and none with a waiting time of 0")
  func room() {
    var held = HeldJobs<Int>(milliseconds: 5, capacity: 2)
    #expect(held.hasRoom)
    held.hold([1, 2], until: nil, at: 0)
    #expect(!held.hasRoom)
    #expect(!HeldJobs<Int>(milliseconds: 0, capacity: 2).hasRoom)
  }
}
