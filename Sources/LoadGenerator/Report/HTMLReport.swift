/// A report as one HTML page that loads nothing.
package struct HTMLReport {
  private static let style = """
    body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:900px;padding:0 1rem;\
    color:#111;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}\
    table{border-collapse:collapse}td,th{padding:.2rem .9rem .2rem 0;text-align:left;\
    font-variant-numeric:tabular-nums}th{font-weight:600}figure{margin:1.5rem 0}\
    figcaption{font-weight:600}svg{width:100%;height:auto}svg text{font-size:11px;fill:#555}\
    svg .legend{font-size:12px;font-weight:600}svg .y{text-anchor:end;dominant-baseline:middle}\
    svg .x{text-anchor:middle}svg path{fill:none;stroke-width:1.6}svg .grid{stroke:#ddd}\
    .met{color:#047857}.missed{color:#b91c1c;font-weight:600}\
    @media(prefers-color-scheme:dark){body{color:#eee;background:#151515}svg text{fill:#aaa}\
    svg .grid{stroke:#333}}
    """
  private static let parts: [(name: String, part: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1),
  ]

  private let report: LoadReport

  package init(_ report: LoadReport) {
    self.report = report
  }

  /// The page.
  package var text: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <title>Load test: \(HTMLEscaping.escaped(report.scenario))</title>
    <style>\(Self.style)</style></head><body>
    <h1>Load test: \(HTMLEscaping.escaped(report.scenario))\(ending)</h1>
    <p>\(verdict)</p>
    \(objectives)<h2>Latency</h2>
    \(latencyTable)\(percentilePlot)<h2>Over time</h2>
    \(timelinePlots)<h2>Figures</h2>
    \(table(SummaryText(report).figures))<h2>Settings</h2>
    \(table(report.settings))\(findings)</body></html>

    """
  }

  private var ending: String { report.ending == .interrupted ? " (ended early)" : "" }

  private var verdict: String {
    report.isGood
      ? "<span class=\"met\">Every expected delivery arrived once and in order, without others."
        + "</span>" : "<span class=\"missed\">Some deliveries were wrong.</span>"
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
    return "<h2>Objectives</h2>\n<table>\(rows.joined())</table>\n"
  }

  private var latencyTable: String {
    let head = Self.parts.map { "<th>\($0.name)</th>" }.joined()
    let rows = measured.map { series in
      let histogram = report.latencies[series]
      let cells = Self.parts.map { _, part in
        "<td>\(Quantity.time(Double(histogram.quantile(part) ?? 0)))</td>"
      }
      return "<tr><th>\(series.title)</th>\(cells.joined())"
        + "<td>\(Quantity.count(Int(clamping: histogram.count)))</td></tr>"
    }
    return "<table><tr><th></th>\(head)<th>count</th></tr>\(rows.joined())</table>\n"
  }

  private var measured: [LatencySeries] {
    LatencySeries.allCases.filter { !report.latencies[$0].isEmpty }
  }

  /// Latency by percentile; each step to the right leaves out nine tenths of the rest.
  private var percentilePlot: String {
    let lines = measured.map { series in
      let histogram = report.latencies[series]
      let points = stride(from: 0.0, through: 4.0, by: 0.05).map { nines -> (Double, Double?) in
        var rest = 1.0
        for _ in 0..<Int(nines) { rest /= 10 }
        // Between the nines the rest goes down evenly.
        rest *= 1 - 0.9 * (nines - Double(Int(nines)))
        return (nines, histogram.quantile(1 - rest).map(Double.init))
      }
      return LinePlot.Line(name: series.title, points: points)
    }
    return LinePlot(
      title: "Latency by percentile", lines: lines, yText: Quantity.time,
      xText: { ["0", "90 %", "99 %", "99.9 %", "99.99 %"][min(4, max(0, Int($0.rounded())))] }
    ).svg
  }

  private var timelinePlots: String {
    let plots: [(String, [(String, (TimelinePoint) -> Double?)], (Double) -> String)] = [
      (
        "Delivery latency",
        [("p50", { $0.median.map(Double.init) }), ("p99", { $0.p99.map(Double.init) })],
        Quantity.time
      ),
      ("Deliveries", [("deliveries", { $0.deliveriesPerSecond })], Quantity.rate),
      ("Messages sent", [("sent", { $0.sentPerSecond })], Quantity.rate),
      ("Connections", [("ready", { Double($0.connections) })], { Quantity.count(Int($0)) }),
      ("Server memory", [("memory", { $0.serverMemory.map(Double.init) })], Quantity.bytes),
      (
        "CPU (1 is one core)", [("server", { $0.serverCPU }), ("generator", { $0.generatorCPU })],
        { Quantity.fixed($0, digits: 2) }
      ),
    ]
    return plots.map { title, lines, text in
      let drawn = lines.map { name, value in
        LinePlot.Line(name: name, points: report.timeline.map { ($0.seconds, value($0)) })
      }
      return LinePlot(
        title: title, lines: drawn, yText: text, xText: { Quantity.fixed($0, digits: 0) + " s" }
      ).svg
    }.joined()
  }

  private func table(_ rows: [(name: String, value: String)]) -> String {
    let cells = rows.map { name, value in
      "<tr><th>\(HTMLEscaping.escaped(name))</th><td>\(HTMLEscaping.escaped(value))</td></tr>"
    }
    return "<table>\(cells.joined())</table>\n"
  }

  private var findings: String {
    let texts = report.verdict.examples + report.notes
    guard !texts.isEmpty else { return "" }
    let items = texts.map { "<li>\(HTMLEscaping.escaped($0))</li>" }.joined()
    return "<h2>Findings</h2>\n<ul>\(items)</ul>\n"
  }
}
