/// Parses metrics in the text format of Prometheus.
struct MetricsText {
  /// One value with its labels.
  struct Sample: Equatable {
    let labels: [String: String]
    let value: Double
  }

  /// The maximum number of lines, above the number that a gateway sends.
  private static let lineLimit = 20_000

  private var samples: [String: [Sample]] = [:]

  /// Parses the text, ignoring other lines.
  init(_ text: String) {
    for line in text.split(separator: "\n").prefix(Self.lineLimit) where !line.hasPrefix("#") {
      guard let (name, sample) = Self.sample(line) else { continue }
      samples[name, default: []].append(sample)
    }
  }

  /// Returns the sum of all values of a metric; `nil` if it is missing.
  func sum(_ name: String) -> Double? {
    samples[name].map { $0.reduce(0) { $0 + $1.value } }
  }

  /// Returns the sum of the values with a label.
  func sum(_ name: String, where label: String, is text: String) -> Double {
    (samples[name] ?? []).filter { $0.labels[label] == text }.reduce(0) { $0 + $1.value }
  }

  /// Returns the buckets of a histogram by ascending upper bound, with cumulative counts.
  func buckets(_ name: String) -> [(bound: Double, count: Double)] {
    let buckets = (samples[name + "_bucket"] ?? []).compactMap { sample in
      sample.labels["le"].flatMap(Self.number).map { (bound: $0, count: sample.value) }
    }
    return buckets.sorted { $0.bound < $1.bound }
  }

  private static func sample(_ line: Substring) -> (String, Sample)? {
    guard let end = line.firstIndex(where: { $0 == "{" || $0 == " " }) else { return nil }
    let name = String(line[..<end])
    guard line[end] == "{" else {
      return number(String(line[end...].dropFirst())).map { (name, Sample(labels: [:], value: $0)) }
    }
    guard let close = line.lastIndex(of: "}"),
      let value = number(String(line[close...].dropFirst(2)))
    else { return nil }
    return (name, Sample(labels: labels(line[line.index(after: end)..<close]), value: value))
  }

  /// Parses labels whose values contain no quotation marks, as is true for the gateway.
  private static func labels(_ text: Substring) -> [String: String] {
    var labels: [String: String] = [:]
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      labels[String(parts[0])] = String(parts[1].filter { $0 != "\"" })
    }
    return labels
  }

  private static func number(_ text: String) -> Double? {
    text == "+Inf" ? .infinity : Double(text)
  }
}
