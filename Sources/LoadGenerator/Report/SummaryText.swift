/// A report as lines for a terminal.
package struct SummaryText {
  private static let parts: [(name: String, part: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
  ]

  private let report: LoadReport

  package init(_ report: LoadReport) {
    self.report = report
  }

  /// The lines in order.
  package var lines: [String] {
    [heading] + latencies + [""] + figures.map { Self.line($0.name, $0.value) }
      + report.verdict.examples.map { "    \($0)" } + report.notes.map { "  note: \($0)" }
      + (report.isDeserted ? ["  FAILED: \(Self.desertion)"] : []) + objectives
  }

  static let desertion = "no connection was left at the end"

  /// The figures of all report formats, in order.
  var figures: [(name: String, value: String)] {
    let counters = report.counters
    var figures = [
      ("connections", Quantity.count(report.connections)),
      ("measured", "\(Quantity.fixed(report.measuredSeconds, digits: 1)) s"),
      ("sent", "\(Quantity.count(counters.sent)), accepted \(Quantity.count(counters.accepted))"),
      (
        "deliveries",
        "\(Quantity.count(counters.deliveries)), \(Quantity.rate(report.throughput)) measured"
      ),
      ("checked", checked),
    ]
    figures += optional
    figures.append(("errors", Quantity.count(report.errorCount)))
    return figures.map { (name: $0.0, value: $0.1) }
  }

  private var heading: String {
    let settings = report.settings.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    let ending = report.ending == .interrupted ? " (ended early)" : ""
    return "\(report.scenario)\(ending): \(settings)"
  }

  private var checked: String {
    let verdict = report.verdict
    let expected = "\(Quantity.count(verdict.expected)) expected"
    let withheld =
      verdict.withheld > 0 ? ", \(Quantity.count(verdict.withheld)) rightly withheld" : ""
    guard !verdict.isClean else { return "\(expected), each once and in order\(withheld)" }
    return "\(expected), \(verdict.lost) lost, \(verdict.doubled) doubled, "
      + "\(verdict.disordered) out of order, \(verdict.uncalledFor + verdict.mistaken) wrong"
  }

  private var optional: [(String, String)] {
    let counters = report.counters
    var lines: [(String, String)] = []
    if counters.refusedFlood > 0 {
      lines.append(("refused as flood", Quantity.count(counters.refusedFlood)))
    }
    if counters.cutConnections > 0 {
      let returned = report.latencies[.recovery].count
      lines.append(
        (
          "cut off",
          "\(Quantity.count(counters.cutConnections)), returned \(returned), "
            + "\(Quantity.count(counters.recovered)) deliveries recovered"
        ))
    }
    if counters.slowClosed > 0 {
      lines.append(("slow readers disconnected", Quantity.count(counters.slowClosed)))
    }
    if counters.updates > 0 { lines.append(("updates", Quantity.count(counters.updates))) }
    if let shift = report.value(of: .shift) {
      lines.append(("p99 during / before", "× \(Quantity.fixed(shift, digits: 2))"))
    }
    return lines + usage
  }

  private var usage: [(String, String)] {
    let figures: [(String, Double?, (Double) -> String)] = [
      ("server CPU per delivery", report.cpuPerDelivery, Quantity.time),
      ("generator CPU per delivery", report.generatorCPUPerDelivery, Quantity.time),
      ("server memory per connection", report.memoryPerConnection, Quantity.bytes),
      ("generator memory per connection", report.generatorMemoryPerConnection, Quantity.bytes),
      ("server memory growth", report.value(of: .memoryGrowth), Quantity.bytes),
    ]
    return figures.compactMap { name, value, text in value.map { (name, text($0)) } }
  }

  private var latencies: [String] {
    LatencySeries.allCases.compactMap { series in
      let histogram = report.latencies[series]
      guard !histogram.isEmpty else { return nil }
      let parts = Self.parts.map { name, part in
        "\(name) \(histogram.supportedQuantile(part).map { Quantity.time(Double($0)) } ?? "–")"
      }
      return Self.line(series.title, parts.joined(separator: "   "))
    }
  }

  private var objectives: [String] {
    guard !report.outcomes.isEmpty else { return [] }
    return [""]
      + report.outcomes.map { outcome in
        let value = outcome.value.map { Quantity.text($0, of: outcome.objective.metric) }
        let verdict = outcome.isMet ? "met   " : "MISSED"
        return "  \(verdict) \(outcome.objective.text): \(value ?? "not measured")"
      }
  }

  private static func line(_ name: String, _ value: String) -> String {
    "  \(name)" + String(repeating: " ", count: max(1, 33 - name.count)) + value
  }
}

/// The state of a run as one line.
package enum LiveLine {
  /// Returns the line without a terminator.
  package static func text(_ progress: LoadProgress) -> String {
    let counters = progress.counters
    let connections = "\(Quantity.count(counters.ready))/\(Quantity.count(progress.members))"
    switch progress.phase {
    case .connecting: return "connecting  \(connections)"
    case .draining:
      return
        "draining    \(connections) connections, \(Quantity.count(counters.deliveries)) deliveries"
    case .warmUp, .measuring: break
    }
    let phase = progress.phase == .warmUp ? "warming up" : "measuring "
    let time = "\(Quantity.whole(progress.seconds))/\(Quantity.whole(progress.totalSeconds)) s"
    guard let point = progress.point else { return "\(phase)  \(time)" }
    var parts = [
      "\(phase)  \(time)", "\(connections) connections",
      "sent \(Quantity.rate(point.sentPerSecond))",
      "delivered \(Quantity.rate(point.deliveriesPerSecond))",
    ]
    if let median = point.median, let p99 = point.p99 {
      parts.append("p50 \(Quantity.time(Double(median))) p99 \(Quantity.time(Double(p99)))")
    }
    if let cpu = point.serverCPU {
      parts.append("server \(Quantity.fixed(cpu * 100, digits: 0)) %")
    }
    if let memory = point.serverMemory { parts.append(Quantity.bytes(Double(memory))) }
    if counters.errors > 0 { parts.append("\(counters.errors) errors") }
    return parts.joined(separator: "  ")
  }
}
