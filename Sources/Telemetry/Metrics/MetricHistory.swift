/// The values of some metrics over a time, in memory of a fixed size.
///
/// Samples of one name are summed over their labels. Of a gauge the value is kept, of a counter the increase since
/// the last record, and of durations the bound in seconds below which 99 % of those since the last record lie.
package struct MetricHistory: Sendable {
  /// A metric with its values, one for each time; `nil` where there was no sample, or no duration.
  package struct Series: Sendable, Equatable {
    package let name: String
    package let kind: MetricDefinition.Kind
    package let values: [Double?]
  }

  fileprivate struct Column {
    let kind: MetricDefinition.Kind
    /// Not a number where there is none.
    ///
    /// Half the memory of a `Double` is precise enough for charts.
    var values: [Float] = []
    /// The sum of the counter, or of the durations, at the last record.
    var last: Total
  }

  fileprivate enum Total {
    case number(Double)
    case durations(HistogramSnapshot)
  }

  private let names: [String]
  private let limit: Int
  private var columns: [String: Column] = [:]
  /// The times of the records in Unix milliseconds, oldest first.
  package private(set) var times: [Int64] = []

  /// - Parameters:
  ///   - names: The metrics to keep.
  ///   - limit: The maximum number of records; the oldest are dropped.
  package init(of names: [String], limit: Int) {
    self.names = names
    self.limit = max(1, limit)
  }

  /// Adds the values of a moment.
  ///
  /// - Parameter time: Unix milliseconds; may be less than that of the last record after a step of the clock.
  package mutating func record(_ samples: [MetricSample], at time: Int64) {
    var totals: [String: (kind: MetricDefinition.Kind, total: Total)] = [:]
    for sample in samples where names.contains(sample.definition.name) {
      let name = sample.definition.name
      if let former = totals[name] {
        totals[name] = (former.kind, former.total.adding(sample.value))
      } else {
        totals[name] = (sample.definition.kind, Total(sample.value))
      }
    }
    for (name, found) in totals {
      var column =
        columns[name]
        ?? Column(
          kind: found.kind, values: Array(repeating: .nan, count: times.count), last: found.total)
      column.append(found.total)
      columns[name] = column
    }
    times.append(time)
    let excess = max(0, times.count - limit)
    times.removeFirst(excess)
    for name in Array(columns.keys) { columns[name]?.fill(to: times.count, dropping: excess) }
  }

  /// The series of some metrics, in the order of the names; metrics that are not kept have none.
  ///
  /// - Parameter start: The index in ``times`` of the first value.
  package func series(of names: [String], from start: Int) -> [Series] {
    names.compactMap { name in
      columns[name].map { column in
        Series(
          name: name, kind: column.kind,
          values: column.values.dropFirst(start).map { $0.isNaN ? nil : Double($0) })
      }
    }
  }

  /// The metrics that have values, in the order in which they were named.
  package var keptNames: [String] { names.filter { columns[$0] != nil } }
}

extension MetricHistory.Column {
  fileprivate mutating func append(_ total: MetricHistory.Total) {
    defer { last = total }
    switch (kind, total, last) {
    case (.gauge, .number(let value), _): values.append(Float(value))
    case (.counter, .number(let value), .number(let former)):
      // A service that restarts counts from zero.
      values.append(Float(value >= former ? value - former : value))
    case (.histogram, .durations(let value), .durations(let former)):
      let bound = value.since(former).quantile(0.99)
      values.append(bound.map(Float.init) ?? .nan)
    case (.gauge, .durations, _), (.counter, _, _), (.histogram, _, _): values.append(.nan)
    }
  }

  /// Adds values that there are none of, and drops the first ones.
  fileprivate mutating func fill(to count: Int, dropping excess: Int) {
    let missing = count + excess - values.count
    if missing > 0 { values += Array(repeating: .nan, count: missing) }
    values.removeFirst(excess)
  }
}

extension MetricHistory.Total {
  fileprivate init(_ value: MetricSample.Value) {
    switch value {
    case .count(let count): self = .number(Double(count))
    case .level(let level): self = .number(Double(level))
    case .real(let real): self = .number(real)
    case .histogram(let snapshot): self = .durations(snapshot)
    }
  }

  fileprivate func adding(_ value: MetricSample.Value) -> Self {
    switch (self, Self(value)) {
    case (.number(let sum), .number(let more)): return .number(sum + more)
    case (.durations(var sum), .durations(let more)) where sum.bounds == more.bounds:
      sum.add(more)
      return .durations(sum)
    case (.number, .durations), (.durations, _): return self
    }
  }
}
