/// A metric and what it stands at.
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
