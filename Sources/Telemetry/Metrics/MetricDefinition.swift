/// The name, help and labels of a metric.
///
/// Definitions with the same name form one family and differ in their labels; the help and kind of the
/// first one apply to all.
package struct MetricDefinition: Sendable, Hashable {
  /// The kinds of the exposition format.
  package enum Kind: String, Sendable {
    /// Never decreases; its name ends in `_total`.
    case counter
    /// Increases and decreases.
    case gauge
    /// Observations counted by size; the unit is in the name, such as `_seconds`.
    case histogram
  }

  /// A label and its value.
  package struct Label: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package let name: String
  package let help: String
  package let kind: Kind
  package let labels: [Label]

  package init(_ name: String, kind: Kind, help: String, labels: [Label] = []) {
    self.name = name
    self.help = help
    self.kind = kind
    self.labels = labels
  }
}

/// An enumeration of metrics of one kind, whose raw values number its cases from 0 without gaps.
///
/// Declare it with raw type `Int` and no explicit values; each case is one time series.
package protocol MetricKey: CaseIterable, Sendable, RawRepresentable where RawValue == Int {
  /// The case's name, help, kind and labels.
  var definition: MetricDefinition { get }
}

extension MetricKey {
  /// The number of cases, which is one more than the largest raw value.
  static var cellCount: Int {
    precondition(allCases.enumerated().allSatisfy { $0.offset == $0.element.rawValue })
    return allCases.count
  }
}

/// A metric with its current value.
package struct MetricSample: Sendable, Equatable {
  /// The value, of the definition's kind.
  package enum Value: Sendable, Equatable {
    case count(UInt64)
    case level(Int64)
    case real(Double)
    case histogram(HistogramSnapshot)
  }

  package let definition: MetricDefinition
  package let value: Value

  package init(_ definition: MetricDefinition, _ value: Value) {
    self.definition = definition
    self.value = value
  }
}
