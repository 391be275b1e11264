import TestSupport
import Testing

@testable import Store

@Suite("The time of a query", .onOwnThreads)
struct QueryTimeTests {
  @Test("the clock is read once per fixed number of rows")
  func looks() {
    var now: UInt64 = 0
    var looks = 0
    let time = QueryTime(nanoseconds: 10, rowsPerLook: 4) {
      looks += 1
      return now
    }
    looks = 0
    now = 10
    #expect((0..<3).map { _ in time.isOverAfterRow() } == [false, false, false])
    #expect(looks == 0)
    #expect(time.isOverAfterRow())
    #expect(time.isOver)
    #expect(looks == 1)
  }
}
