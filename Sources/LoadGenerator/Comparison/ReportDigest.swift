internal import ParleyProtocol

/// The parts of a report used to compare two runs, read from its JSON.
package struct ReportDigest: Sendable, Hashable {
  /// The reason why bytes are not a report.
  package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// A figure of the run with its unit.
  struct Figure: Sendable, Hashable {
    let name: String
    let dimension: Metric.Dimension
    /// The value in the unit of the dimension; `nil` if it was not measured.
    let value: Double?
  }

  /// The largest report to read, in bytes: a run of a day has some 30 MB.
  package static let maximumBytes = 67_108_864

  let scenario: String
  /// Date, machines, versions and command.
  let origin: [String: String]
  /// The options of the run, in the order of their names.
  let settings: [String: String]
  /// The figures, in the same order for every run.
  let figures: [Figure]

  package init(_ bytes: [UInt8]) throws(Fault) {
    let limits = JSONLimits(byteCount: Self.maximumBytes, depth: 32, nodeCount: 4_000_000)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes, limits: limits)
    } catch {
      throw Fault(description: "it is not JSON: \(error)")
    }
    let root = document.root
    guard let scenario = root["scenario"]?.string, root["latency_ns"] != nil,
      root["counts"] != nil
    else {
      throw Fault(description: "'scenario', 'latency_ns' or 'counts' is missing")
    }
    self.scenario = scenario
    origin = Self.texts(root["origin"])
    settings = Self.texts(root["settings"])
    figures = Self.latencies(root) + Self.others(root)
  }

  private static func latencies(_ root: JSONNode) -> [Figure] {
    let parts = [
      ("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99.9", "p99_9"), ("max", "max"),
    ]
    return LatencySeries.allCases.flatMap { series in
      parts.map { name, member in
        Figure(
          name: "\(series.title), \(name)", dimension: .time,
          value: root["latency_ns"]?[series.name]?[member]?.number)
      }
    }
  }

  private static func others(_ root: JSONNode) -> [Figure] {
    let (counts, check, usage) = (root["counts"], root["check"], root["usage"])
    func count(_ name: String, _ node: JSONNode?) -> Figure {
      Figure(name: name, dimension: .count, value: node?.number)
    }
    return [
      Figure(
        name: "deliveries a second", dimension: .rate,
        value: root["throughput_per_second"]?.number),
      count("messages sent", counts?["sent"]), count("deliveries", counts?["deliveries"]),
      count("refused as flood", counts?["refused_flood"]), count("errors", counts?["errors"]),
      count("lost", check?["lost"]), count("doubled", check?["doubled"]),
      count("out of order", check?["disordered"]),
      Figure(
        name: "server CPU per delivery", dimension: .time,
        value: usage?["server_cpu_ns_per_delivery"]?.number),
      Figure(
        name: "generator CPU per delivery", dimension: .time,
        value: usage?["generator_cpu_ns_per_delivery"]?.number),
      Figure(
        name: "server memory per connection", dimension: .memory,
        value: usage?["server_bytes_per_connection"]?.number),
      Figure(
        name: "server memory at the end", dimension: .memory,
        value: usage?["server_memory_at_end"]?.number),
    ]
  }

  /// Returns the members of an object that are texts or integers.
  private static func texts(_ node: JSONNode?) -> [String: String] {
    var texts: [String: String] = [:]
    guard let node else { return texts }
    for (name, value) in node.members {
      if let text = value.string ?? value.integer.map(String.init) { texts[name] = text }
    }
    return texts
  }
}
