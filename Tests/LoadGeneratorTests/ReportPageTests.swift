import Testing

@testable import LoadGenerator

@Suite("Report page")
struct ReportPageTests {
  @Test("text and lines are legible on the background, light and dark")
  func contrast() throws {
    for palette in [ReportPalette.light, .dark] {
      let colours = Dictionary(uniqueKeysWithValues: palette.colours.map { ($0.name, $0.colour) })
      let back = try luminance(#require(colours["back"]))
      for (name, colour) in colours where name != "back" {
        let front = try luminance(colour)
        let ratio = (max(front, back) + 0.05) / (min(front, back) + 0.05)
        #expect(ratio >= 4.5, "\(name) \(colour): \(ratio)")
      }
      for index in 0..<ReportPalette.lineCount { #expect(colours["c\(index)"] != nil) }
    }
  }

  /// The relative luminance of WCAG 2.
  private func luminance(_ colour: String) throws -> Double {
    let number = try #require(Int(colour.dropFirst(), radix: 16))
    let parts = [number >> 16 & 255, number >> 8 & 255, number & 255].map { part in
      let share = Double(part) / 255
      guard share > 0.03928 else { return share / 12.92 }
      return power((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// A power with one decimal, by roots that Newton finds.
  private func power(_ base: Double, _ exponent: Double) -> Double {
    var root = 1.0
    for _ in 0..<60 {
      let fourth = root * root * root * root
      root -= (fourth * root - base) / (5 * fourth)
    }
    var product = 1.0
    for _ in 0..<Int((exponent * 5).rounded()) { product *= root }
    return product
  }

  @Test("percentiles with too few samples are omitted")
  func fewSamples() {
    var histogram = LatencyHistogram()
    for index in 1...200 { histogram.record(Int64(index) * 1_000_000) }
    #expect(histogram.supportedQuantile(0.99) == histogram.quantile(0.99))
    #expect(histogram.supportedQuantile(0.999) == nil)
    #expect(histogram.supportedQuantile(1) == 200_000_000)
    for _ in 0..<800 { histogram.record(1) }
    #expect(histogram.supportedQuantile(0.999) != nil)
    #expect(LatencyHistogram().supportedQuantile(0.5) == nil)
    var report = LoadReport(scenario: "fanout")
    for index in 1...200 { report.latencies.record(Int64(index), in: .delivery) }
    #expect(HTMLReport(report).text.contains("<td>–</td>"))
    #expect(SummaryText(report).lines.contains { $0.contains("p99.9 –") })
  }

  @Test("the end of the warm-up and the disturbance are marked and explained")
  func marks() {
    var plan = Scenario.storm(connections: 10, channels: 1, rate: 1)
    plan.warmUp = 2_000_000_000
    plan.duration = 9_000_000_000
    #expect(plan.marks.map(\.seconds) == [2, 5])
    #expect(plan.marks.map(\.name) == ["measured from here", "cut off"])
    var flood = Scenario.flood(
      Chatter(channels: 4, users: 2, talkers: 1, rate: 1), abusers: 1, abuse: 10)
    flood.warmUp = 0
    #expect(flood.marks.map(\.name) == ["abuse begins"])
    var spike = Scenario.spike(connections: 5, over: 3_000_000_000, channels: 1, rate: 1)
    spike.warmUp = 1_000_000_000
    #expect(spike.marks.map(\.seconds) == [1, 1, 4])

    var report = LoadReport(scenario: "storm")
    report.marks = plan.marks
    report.warmUpSeconds = 2
    report.timeline = (1...11).map { second in
      var point = TimelinePoint(seconds: Double(second))
      point.deliveriesPerSecond = 5
      return point
    }
    let page = HTMLReport(report).text
    #expect(page.contains("class=\"mark\"") && page.contains("class=\"shade\""))
    #expect(page.contains("5 s: cut off"))
  }

  @Test("the verdict comes first, with the missed objectives")
  func verdict() throws {
    var report = LoadReport(scenario: "fanout")
    report.judge(try ["lost=0", "p99<1ms"].map(Objective.init))
    let page = HTMLReport(report).text
    #expect(page.contains("Failed: every expected delivery arrived once and in order"))
    #expect(page.contains("1 of 2 objectives missed"))
    report.judge([try Objective("lost=0")])
    #expect(HTMLReport(report).text.contains("Passed: "))
  }

  @Test("latencies of any size are inside the plot, the shortest at the bottom")
  func logarithms() {
    let values = [1e3, 1e4, 1e5, 1e6]
    let plot = LinePlot(
      title: "t",
      lines: [.init(name: "l", points: values.enumerated().map { (Double($0), $1) })],
      axis: .logarithmic, yText: TickText.time, xTicks: [])
    // Powers of ten are equally high: 34 to 220 in three steps of 62.
    #expect(plot.svg.contains("M78.0 220.0L328.7 158.0L579.3 96.0L830.0 34.0"))
  }
}
