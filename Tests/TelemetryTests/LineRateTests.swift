import Telemetry
import Testing

@Suite("Line rate")
struct LineRateTests {
  @Test("the first lines of a second are written, the others counted")
  func counts() {
    var rate = LineRate(limit: 2)
    #expect((0..<5).map { _ in rate.admit(at: 100) } == [true, true, false, false, false])
    #expect(rate.takeSuppressed(at: 1099) == nil)
    #expect(rate.takeSuppressed(at: 1100) == 3)
    #expect(!rate.hasSuppressed)
    #expect(rate.takeSuppressed(at: 1100) == nil)
    #expect((0..<3).map { _ in rate.admit(at: 1100) } == [true, true, false])
  }

  @Test("lines counted in one second are still reported in a later one")
  func keeps() {
    var rate = LineRate(limit: 1)
    #expect(rate.admit(at: 0) == true)
    #expect(rate.admit(at: 1) == false)
    #expect(rate.admit(at: 5000) == true)
    #expect(rate.admit(at: 5001) == false)
    #expect(rate.takeSuppressed(at: 6000) == 2)
  }
}
