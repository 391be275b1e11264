import Telemetry

extension MetricSample {
  /// A number that is read when the metrics are asked for.
  init(
    _ name: String, _ kind: MetricDefinition.Kind, _ help: String, _ value: Int,
    _ labels: MetricDefinition.Label...
  ) {
    self.init(
      MetricDefinition(name, kind: kind, help: help, labels: labels),
      kind == .counter ? .count(UInt64(max(0, value))) : .level(Int64(value)))
  }
}
