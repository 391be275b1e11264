import Cluster
import Logging
import Testing

@testable import Gateway

@Suite("Log warnings about the bus")
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

  @Test("a bus failure is logged once with its reason, and again on recovery")
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

  @Test("a bus that never connects is logged too")
  func refused() {
    var warnings = ClusterWarnings()
    #expect(warnings.take(figures("starting"), at: 0).isEmpty)
    #expect(warnings.take(figures("refused"), at: 0).count == 1)
  }

  @Test("another deployment on the bus is logged once a minute")
  func foreign() {
    var warnings = ClusterWarnings()
    var figures = figures(nil)
    figures.traffic.foreignFrames = 3
    figures.traffic.foreignDeployment = 0xab
    let lines = warnings.take(figures, at: 0)
    #expect(lines.map(\.metadata) == [["deployment": "00000000000000ab", "messages": "3"]])
    #expect(lines.first?.level == .error)
    figures.traffic.foreignFrames = 9
    #expect(warnings.take(figures, at: 59_999).isEmpty)
    #expect(warnings.take(figures, at: 60_000).first?.metadata["messages"] == "6")
  }

  @Test("servers that keep beating but are in no registry are logged; temporary ones are not")
  func strangers() {
    var warnings = ClusterWarnings()
    var figures = figures(nil)
    figures.traffic.strangeBeats = 19
    #expect(warnings.take(figures, at: 0).isEmpty)
    figures.traffic.strangeBeats = 38
    #expect(warnings.take(figures, at: 60_000).isEmpty)
    figures.traffic.strangeBeats = 58
    #expect(warnings.take(figures, at: 119_999).isEmpty)
    #expect(warnings.take(figures, at: 120_000).map(\.metadata) == [["beats": "20"]])
  }

  @Test("dropped messages are counted in one line per minute")
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
