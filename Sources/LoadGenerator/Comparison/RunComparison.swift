/// Two runs side by side: their figures and the differences in their settings.
package struct RunComparison: Sendable {
  /// A figure of both runs.
  struct Row: Sendable, Hashable {
    let name: String
    let dimension: Metric.Dimension
    let first: Double?
    let second: Double?

    /// The second value as a multiple of the first; `nil` if undefined.
    var ratio: Double? {
      guard let first, let second, first != 0 else { return nil }
      return second / first
    }

    /// The two values and their ratio, formatted.
    var texts: [String] {
      [first, second].map { $0.map(shown) ?? "–" }
        + [ratio.map { "× \(Quantity.fixed($0, digits: 2))" } ?? "–"]
    }

    private func shown(_ value: Double) -> String {
      switch dimension {
      case .time: Quantity.time(value)
      case .memory: Quantity.bytes(value)
      case .rate: Quantity.rate(value)
      case .count: Quantity.count(Quantity.whole(value))
      }
    }
  }

  /// A setting or other condition of both runs.
  struct Circumstance: Sendable, Hashable {
    let name: String
    let first: String
    let second: String

    var isSame: Bool { first == second }
  }

  private static let origins = [
    ("date", "date"), ("host", "host"), ("cpu", "CPU"), ("cores", "cores"), ("kernel", "kernel"),
    ("gateway", "gateway"), ("generator", "generator"), ("command", "command"),
  ]

  let rows: [Row]
  /// Scenario and settings: if they differ, the figures may differ for that reason.
  let settings: [Circumstance]
  let origins: [Circumstance]

  package init(_ first: ReportDigest, _ second: ReportDigest) {
    rows = zip(first.figures, second.figures).compactMap { one, other in
      guard one.value != nil || other.value != nil else { return nil }
      return Row(
        name: one.name, dimension: one.dimension, first: one.value, second: other.value)
    }
    let names = Set(first.settings.keys).union(second.settings.keys).sorted()
    settings =
      [Circumstance(name: "scenario", first: first.scenario, second: second.scenario)]
      + names.map {
        Circumstance(
          name: $0, first: first.settings[$0] ?? "–", second: second.settings[$0] ?? "–")
      }
    origins = Self.origins.map { member, name in
      Circumstance(
        name: name, first: first.origin[member] ?? "–", second: second.origin[member] ?? "–")
    }
  }

  /// The settings that differ, as a warning; `nil` if all are equal.
  var warning: String? {
    let names = settings.filter { !$0.isSame }.map(\.name)
    guard !names.isEmpty else { return nil }
    return "The runs differ in \(names.joined(separator: ", ")): the ratios may come from that."
  }
}

/// A comparison as lines for a terminal.
extension RunComparison {
  /// The lines in order; `B / A` is the second run as a multiple of the first.
  package var lines: [String] {
    var table = [["", "A", "B", "B / A"]]
    table += origins.filter { !$0.isSame && $0.name != "command" }.map {
      [$0.name, $0.first, $0.second, ""]
    }
    table += settings.map { [$0.name, $0.first, $0.second, $0.isSame ? "" : "differs"] }
    table += rows.map { [$0.name] + $0.texts }
    let widths = (0..<3).map { column in table.map { $0[column].count }.max() ?? 0 }
    let lines = table.map { cells in
      var line = ""
      for (cell, width) in zip(cells, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 3)
      }
      line += cells[3]
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    return lines + (warning.map { ["", $0] } ?? [])
  }
}
