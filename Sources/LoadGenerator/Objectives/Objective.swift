/// An objective of a run, such as `p99<50ms`.
package struct Objective: Sendable, Hashable {
  package enum Relation: String, Sendable, Hashable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"
    case equal = "="
  }

  /// Why a text is no objective.
  package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// As it was written.
  package let text: String
  package let metric: Metric
  package let relation: Relation
  /// In the unit of the metric's dimension.
  package let bound: Double

  /// Reads `metric relation value unit`, blanks allowed between them.
  package init(_ text: String) throws(Fault) {
    let compact = String(text.filter { $0 != " " })
    guard compact.utf8.count <= 100 else { throw Fault(description: "an objective is too long") }
    guard let (name, relation, value) = Self.parts(of: compact) else {
      throw Fault(
        description: "'\(text)' has no comparison; an objective such as p99<50ms is expected")
    }
    guard let metric = Metric(name) else {
      throw Fault(
        description: "'\(name)' is not a figure of a run; one of \(Metric.names) is expected")
    }
    self.text = compact
    self.metric = metric
    self.relation = relation
    bound = try Self.bound(value, metric)
  }

  /// Whether a figure is as asked.
  package func isMet(by value: Double) -> Bool {
    switch relation {
    case .atMost: value <= bound
    case .atLeast: value >= bound
    case .below: value < bound
    case .above: value > bound
    case .equal: value == bound
    }
  }

  private static func parts(of text: String) -> (String, Relation, String)? {
    guard let start = text.firstIndex(where: { "<>=".contains($0) }) else { return nil }
    let rest = text[start...]
    // Those of two characters come first.
    guard let relation = Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      return nil
    }
    return (String(text[..<start]), relation, String(rest.dropFirst(relation.rawValue.count)))
  }

  private static func bound(_ text: String, _ metric: Metric) throws(Fault) -> Double {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = String(text.dropFirst(digits.count))
    guard let number = Double(digits), number.isFinite else {
      throw Fault(description: "'\(text)' is not a number")
    }
    let units = metric.dimension.units
    guard let factor = units[unit] else {
      let known = units.keys.filter { !$0.isEmpty }.sorted().joined(separator: ", ")
      throw Fault(
        description: known.isEmpty
          ? "'\(text)': this figure has no unit"
          : "'\(text)' needs one of the units \(known)")
    }
    return number * factor
  }
}

/// How an objective was met.
package struct ObjectiveOutcome: Sendable, Hashable {
  package let objective: Objective
  /// In the unit of the metric's dimension; `nil` when it was not measured.
  package let value: Double?

  package init(_ objective: Objective, value: Double?) {
    self.objective = objective
    self.value = value
  }

  /// Returns whether the objective is met; a missing measurement counts as missed.
  package var isMet: Bool { value.map(objective.isMet(by:)) ?? false }
}
