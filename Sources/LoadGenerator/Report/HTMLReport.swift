/// A report as a self-contained HTML page.
package struct HTMLReport {
  private static let parts: [(name: String, part: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1),
  ]

  private let report: LoadReport

  package init(_ report: LoadReport) {
    self.report = report
  }

  /// The page.
  package var text: String {
    let ending = report.ending == .interrupted ? " (ended early)" : ""
    return ReportPage.text(
      title: "Load test: \(report.scenario)\(ending)",
      """
      \(verdict)<h2>Run</h2>
      \(ReportPage.table(report.origin.rows))<h2>Latency</h2>
      \(latencyTable)\(percentilePlot)<h2>Over time</h2>
      \(timelinePlots)\(markTable)<h2>Figures</h2>
      \(ReportPage.table(SummaryText(report).figures))<h2>Settings</h2>
      \(ReportPage.table(report.settings))\(findings)
      """)
  }

  private var verdict: String {
    let missed = report.outcomes.filter { !$0.isMet }.count
    let deliveries =
      report.verdict.isClean
      ? "every expected delivery arrived once and in order, without others"
      : "some deliveries were wrong"
    var texts = [deliveries]
    if report.isDeserted { texts.append(SummaryText.desertion) }
    if !report.outcomes.isEmpty {
      texts.append(
        missed == 0
          ? "all \(report.outcomes.count) objectives were met"
          : "\(missed) of \(report.outcomes.count) objectives missed")
    }
    return """
      <div class="verdict \(report.isGood ? "met" : "missed")">\
      <p>\(report.isGood ? "Passed" : "Failed"): \(texts.joined(separator: "; ")).</p>
      \(objectives)</div>

      """
  }

  private var objectives: String {
    guard !report.outcomes.isEmpty else { return "" }
    let rows = report.outcomes.map { outcome in
      let value = outcome.value.map { Quantity.text($0, of: outcome.objective.metric) }
      let (kind, word) = outcome.isMet ? ("met", "met") : ("missed", "missed")
      return "<tr><td>\(HTMLEscaping.escaped(outcome.objective.text))</td>"
        + "<td>\(HTMLEscaping.escaped(value ?? "not measured"))</td>"
        + "<td class=\"\(kind)\">\(word)</td></tr>"
    }
    return "<div class=\"wide\"><table>\(rows.joined())</table></div>"
  }

  private var latencyTable: String {
    let head = Self.parts.map { "<th>\($0.name)</th>" }.joined()
    var hasTooFew = false
    let rows = measured.map { series in
      let histogram = report.latencies[series]
      let cells = Self.parts.map { _, part in
        let value = histogram.supportedQuantile(part)
        if value == nil { hasTooFew = true }
        return "<td>\(value.map { Quantity.time(Double($0)) } ?? "–")</td>"
      }
      return "<tr><th>\(series.title)</th>\(cells.joined())"
        + "<td>\(Quantity.count(Int(clamping: histogram.count)))</td></tr>"
    }
    let note =
      hasTooFew
      ? "<p class=\"note\">–: too few samples. A percentile is shown when at least one sample lies "
        + "above it: p99 from 100 samples on, p99.9 from 1,000, p99.99 from 10,000.</p>\n" : ""
    return "<div class=\"wide\"><table><tr><th></th>\(head)<th>samples</th></tr>\(rows.joined())"
      + "</table></div>\n\(note)"
  }

  private var measured: [LatencySeries] {
    LatencySeries.allCases.filter { !report.latencies[$0].isEmpty }
  }

  /// The plot of latency by percentile; each step to the right removes nine tenths of the rest.
  private var percentilePlot: String {
    let lines = measured.map { series in
      let histogram = report.latencies[series]
      let points = stride(from: 0.0, through: 4.0, by: 0.05).map { nines -> (Double, Double?) in
        var rest = 1.0
        for _ in 0..<Int(nines) { rest /= 10 }
        // Between the nines the rest decreases linearly.
        rest *= 1 - 0.9 * (nines - Double(Int(nines)))
        return (nines, histogram.supportedQuantile(1 - rest).map(Double.init))
      }
      return LinePlot.Line(name: series.title, points: points)
    }
    let percentiles = ["0", "90 %", "99 %", "99.9 %", "99.99 %"]
    return LinePlot(
      title: "Latency by percentile (logarithmic)", lines: lines, axis: .logarithmic,
      yText: TickText.time, xTicks: percentiles.enumerated().map { (Double($0), $1) }
    ).svg
  }

  private var timelinePlots: String {
    let plots: [(String, Curves, (Double) -> AxisTicks, (Double) -> String)] = [
      (
        "Delivery latency",
        [("p50", { $0.median.map(Double.init) }), ("p99", { $0.p99.map(Double.init) })],
        { AxisTicks.decimal(upTo: $0) }, TickText.time
      ),
      (
        "Deliveries a second", [("deliveries", { $0.deliveriesPerSecond })],
        { AxisTicks.decimal(upTo: $0) }, TickText.rate
      ),
      (
        "Messages sent a second", [("sent", { $0.sentPerSecond })],
        { AxisTicks.decimal(upTo: $0) }, TickText.rate
      ),
      (
        "Connections", [("ready", { Double($0.connections) })], AxisTicks.whole, TickText.number
      ),
      (
        "Server memory", [("memory", { $0.serverMemory.map(Double.init) })],
        { AxisTicks.bytes(upTo: $0) }, TickText.bytes
      ),
      (
        "CPU (1 is one core)", [("server", { $0.serverCPU }), ("generator", { $0.generatorCPU })],
        { AxisTicks.decimal(upTo: $0) }, TickText.number
      ),
    ]
    let longest = report.timeline.last?.seconds ?? 0
    let ticks = AxisTicks.decimal(upTo: longest, count: 8).values.map {
      (x: $0, text: "\(TickText.number($0)) s")
    }
    return plots.map { title, curves, yTicks, text in
      let lines = curves.map { name, value in
        LinePlot.Line(name: name, points: report.timeline.map { ($0.seconds, value($0)) })
      }
      return LinePlot(
        title: title, lines: lines, axis: .linear(yTicks), yText: text, xTicks: ticks,
        marks: report.marks, shadedUntil: report.warmUpSeconds
      ).svg
    }.joined()
  }

  private typealias Curves = [(name: String, value: (TimelinePoint) -> Double?)]

  private var markTable: String {
    guard !report.marks.isEmpty else { return "" }
    let rows = report.marks.map { mark in
      (name: "\(TickText.short(mark.seconds)) s: \(mark.name)", value: mark.meaning)
    }
    return "<h2>Marks</h2>\n" + ReportPage.table(rows)
  }

  private var findings: String {
    let texts = report.verdict.examples + report.notes
    guard !texts.isEmpty else { return "" }
    let items = texts.map { "<li>\(HTMLEscaping.escaped($0))</li>" }.joined()
    return "<h2>Findings</h2>\n<ul>\(items)</ul>\n"
  }
}
