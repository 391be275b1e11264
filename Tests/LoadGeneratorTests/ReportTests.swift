import ParleyProtocol
import Testing

@testable import LoadGenerator

@Suite("Report")
struct ReportTests {
  private func report() throws -> LoadReport {
    var report = LoadReport(scenario: "fanout")
    report.settings = [("subscribers", "10"), ("<script>", "\"&\"")]
    report.origin.commandLine = "<script>"
    report.measuredSeconds = 2
    report.connections = 11
    report.counters.ready = 10
    report.counters.sent = 20
    report.counters.measuredDeliveries = 200
    for index in 1...200 { report.latencies.record(Int64(index) * 100_000, in: .delivery) }
    report.usage.serverCPU = 400_000
    report.usage.memoryBefore = 1_000_000
    report.usage.memoryConnected = 1_022_528
    report.usage.idleConnections = 11
    report.timeline = (1...3).map { second in
      var point = TimelinePoint(seconds: Double(second))
      point.deliveriesPerSecond = 100
      point.median = 1_000_000
      point.p99 = 2_000_000
      point.serverMemory = 1_022_528
      return point
    }
    report.notes = ["<img src=x>"]
    report.judge(try ["p99<50ms", "lost=0", "cpu_per_delivery<1us"].map(Objective.init))
    return report
  }

  @Test("metrics are computed from the counters")
  func figures() throws {
    let report = try report()
    #expect(report.throughput == 100)
    #expect(report.cpuPerDelivery == 2000)
    #expect(report.memoryPerConnection == 2048)
    #expect(report.outcomes.map(\.isMet) == [true, true, false])
    #expect(!report.isGood)
  }

  @Test("a run that lost all its connections fails, even if all deliveries were correct")
  func desertion() throws {
    var report = try report()
    report.outcomes = []
    #expect(report.isGood)
    report.counters.ready = 0
    #expect(!report.isGood)
    #expect(HTMLReport(report).text.contains("no connection was left at the end"))
    #expect(SummaryText(report).lines.contains { $0.contains("no connection was left at the end") })
    let root = try JSONDocument(ReportJSON.bytes(report)).root
    #expect(root["counts"]?["connected_at_end"]?.integer == 0)
  }

  @Test("the page loads no resources, and quoted text stays text")
  func page() throws {
    let page = HTMLReport(try report()).text
    for forbidden in ["http:", "https:", "//", "<script", "<img", "@import", "url("] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
    #expect(page.contains("<svg"))
    #expect(page.contains("&lt;script&gt;"))
    #expect(page.contains("MISSED") == false && page.contains("missed"))
  }

  @Test("the JSON contains the metrics")
  func json() throws {
    let root = try JSONDocument(ReportJSON.bytes(report())).root
    #expect(root["scenario"]?.string == "fanout")
    #expect(root["latency_ns"]?["delivery"]?["count"]?.integer == 200)
    #expect(root["usage"]?["server_bytes_per_connection"]?.number == 2048)
    #expect(root["check"]?["lost"]?.integer == 0)
    #expect(root["objectives"]?.elements.map { $0["met"]?.bool } == [true, true, false])
    #expect(Array(root["timeline"]?.elements.map { $0["seconds"]?.number } ?? []).count == 3)
  }

  @Test("the summary lists the missed objectives")
  func summary() throws {
    let lines = SummaryText(try report()).lines
    #expect(lines.contains { $0.contains("MISSED cpu_per_delivery<1us: 2.00 µs") })
    #expect(lines.contains { $0.contains("met") && $0.contains("lost=0") })
  }

  @Test("an empty run also has a report")
  func empty() throws {
    let report = LoadReport(scenario: "spike")
    #expect(!HTMLReport(report).text.isEmpty)
    #expect(throws: Never.self) { try JSONDocument(ReportJSON.bytes(report)) }
    #expect(!SummaryText(report).lines.isEmpty)
  }

  @Test(
    "quantities are shown as short numbers",
    arguments: [
      (Quantity.time(850), "850 ns"), (Quantity.time(1250), "1.25 µs"),
      (Quantity.time(12_340_000), "12.3 ms"), (Quantity.time(3e9), "3.00 s"),
      (Quantity.bytes(100), "100 B"), (Quantity.bytes(2048), "2.00 KiB"),
      (Quantity.count(1_234_567), "1,234,567"), (Quantity.count(-12), "-12"),
      (Quantity.fixed(-0.5, digits: 2), "-0.50"), (Quantity.rate(2.5), "2.5/s"),
    ])
  func quantities(text: String, expected: String) {
    #expect(text == expected)
  }
}
