/// Samples in the Prometheus text exposition format, version 0.0.4.
package enum PrometheusText {
  /// The value of `Content-Type` for this format.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Writes samples, grouped by name with one header each, in the order of first appearance.
  package static func render(_ samples: [MetricSample]) -> String {
    var order: [String] = []
    var families: [String: [MetricSample]] = [:]
    for sample in samples {
      let name = sample.definition.name
      if families[name] == nil { order.append(name) }
      families[name, default: []].append(sample)
    }
    return order.compactMap { families[$0] }.map(family).joined()
  }

  private static func family(_ samples: [MetricSample]) -> String {
    guard let definition = samples.first?.definition else { return "" }
    let head =
      "# HELP \(definition.name) \(escapedHelp(definition.help))\n"
      + "# TYPE \(definition.name) \(definition.kind.rawValue)\n"
    return head + samples.map(lines).joined()
  }

  private static func lines(_ sample: MetricSample) -> String {
    let name = sample.definition.name
    let labels = sample.definition.labels
    return switch sample.value {
    case .count(let value): line(name, labels, "\(value)")
    case .level(let value): line(name, labels, "\(value)")
    case .real(let value): line(name, labels, number(value))
    case .histogram(let snapshot): histogram(name, labels, snapshot)
    }
  }

  private static func histogram(
    _ name: String, _ labels: [MetricDefinition.Label], _ snapshot: HistogramSnapshot
  ) -> String {
    var output = ""
    var total: UInt64 = 0
    let bounds = snapshot.bounds.nanoseconds.map { number(Double($0) / 1e9) } + ["+Inf"]
    for (bound, count) in zip(bounds, snapshot.counts) {
      total &+= count
      output += line("\(name)_bucket", labels + [.init("le", bound)], "\(total)")
    }
    output += line("\(name)_sum", labels, number(Double(snapshot.sumNanoseconds) / 1e9))
    return output + line("\(name)_count", labels, "\(total)")
  }

  private static func line(
    _ name: String, _ labels: [MetricDefinition.Label], _ value: String
  ) -> String {
    guard !labels.isEmpty else { return "\(name) \(value)\n" }
    let pairs = labels.map { "\($0.name)=\"\(escapedLabel($0.value))\"" }
    return "\(name){\(pairs.joined(separator: ","))} \(value)\n"
  }

  /// Formats whole numbers without a fraction, and others in Swift's notation, which the format allows.
  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    guard let whole = Int64(exactly: value) else { return "\(value)" }
    return "\(whole)"
  }

  private static func escapedHelp(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  private static func escapedLabel(_ text: String) -> String {
    escapedHelp(text).replacing("\"", with: "\\\"")
  }
}
