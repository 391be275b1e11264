import Testing

@testable import LoadGenerator

@Suite("Comparison of two runs")
struct RunComparisonTests {
  private func report(_ latency: Int64, subscribers: Int) -> [UInt8] {
    var report = LoadReport(scenario: "fanout")
    report.settings = [("subscribers", "\(subscribers)"), ("text", "<b>")]
    report.origin.machine.host = "one"
    report.origin.gateway = "parleyd \(latency)"
    report.measuredSeconds = 1
    report.counters.measuredDeliveries = 100
    for _ in 0..<100 { report.latencies.record(latency, in: .delivery) }
    return ReportJSON.bytes(report)
  }

  @Test("has a ratio for metrics measured by both")
  func ratios() throws {
    let comparison = RunComparison(
      try ReportDigest(report(200_000, subscribers: 10)),
      try ReportDigest(report(300_000, subscribers: 10)))
    let row = try #require(comparison.rows.first { $0.name == "Delivery, p99" })
    #expect(row.first == 200_000 && row.second == 300_000)
    #expect(row.texts == ["200 µs", "300 µs", "× 1.50"])
    // Too few samples, and a figure that is 0.
    #expect(!comparison.rows.contains { $0.name == "Delivery, p99.9" })
    #expect(comparison.rows.first { $0.name == "errors" }?.texts == ["0", "0", "–"])
    #expect(comparison.warning == nil)
    #expect(comparison.lines.contains { $0.hasPrefix("gateway ") && $0.contains("parleyd 300000") })
    #expect(!comparison.lines.contains { $0.hasPrefix("host ") })
  }

  @Test("warns if the settings differ")
  func settings() throws {
    let comparison = RunComparison(
      try ReportDigest(report(200_000, subscribers: 10)),
      try ReportDigest(report(200_000, subscribers: 20)))
    #expect(comparison.warning?.contains("differ in subscribers:") == true)
    let page = ComparisonPage(comparison).text
    #expect(page.contains("&lt;b&gt;") && !page.contains("<b>"))
    for forbidden in ["http:", "https:", "<script", "@import", "url("] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
  }

  @Test("refuses an invalid report with the reason")
  func faults() {
    for text in ["", "[]", "{}", #"{"scenario":1,"latency_ns":{},"counts":{}}"#, "{", "7"] {
      #expect(throws: ReportDigest.Fault.self, "\(text)") { try ReportDigest(Array(text.utf8)) }
    }
    #expect(throws: Never.self) {
      try ReportDigest(Array(#"{"scenario":"x","latency_ns":{"delivery":7},"counts":[]}"#.utf8))
    }
  }
}
