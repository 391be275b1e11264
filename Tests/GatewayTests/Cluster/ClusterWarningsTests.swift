import Cluster
import Testing

@testable import Gateway

@Suite("What the log says of the bus")
struct ClusterWarningsTests {
  private func figures(
    _ fault: String?, forged: UInt64 = 0, malformed: UInt64 = 0
  ) -> ClusterFigures {
    var figures = ClusterFigures()
    figures.busFault = fault
    figures.traffic.forgedFrames = forged
    figures.traffic.malformedFrames = malformed
    return figures
  }

  @Test("a bus that is down is named with the reason, once, and again when it is up")
  func bus() {
    var warnings = ClusterWarnings()
    #expect(warnings.take(figures("starting"), at: 0).isEmpty)
    #expect(warnings.take(figures(nil), at: 0).isEmpty)
    let lines = warnings.take(figures("the server demands a password"), at: 0)
    #expect(lines.map(\.text) == ["the bus is down"])
    #expect(lines.first?.metadata == ["reason": "the server demands a password"])
    #expect(warnings.take(figures("the server demands a password"), at: 0).isEmpty)
    #expect(warnings.take(figures(nil), at: 0).map(\.text) == ["the bus is up"])
  }

  @Test("a bus that never comes up is named too")
  func refused() {
    var warnings = ClusterWarnings()
    #expect(warnings.take(figures("starting"), at: 0).isEmpty)
    #expect(warnings.take(figures("refused"), at: 0).count == 1)
  }

  @Test("dropped messages are counted in one line a minute")
  func dropped() {
    var warnings = ClusterWarnings()
    #expect(warnings.take(figures(nil, forged: 3), at: 0).map(\.metadata) == [["forged": "3"]])
    #expect(warnings.take(figures(nil, forged: 9), at: 59_999).isEmpty)
    #expect(
      warnings.take(figures(nil, forged: 10, malformed: 2), at: 60_000).map(\.metadata)
        == [["forged": "7", "malformed": "2"]])
    #expect(warnings.take(figures(nil, forged: 10, malformed: 2), at: 200_000).isEmpty)
  }
}
