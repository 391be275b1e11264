/// How often durations of each size were seen.
package struct HistogramSnapshot: Sendable, Equatable {
  package let bounds: HistogramBounds
  /// For each bound how many lay up to it and above the one before; then those above all.
  package private(set) var counts: [UInt64]
  /// All durations together.
  package private(set) var sumNanoseconds: UInt64

  /// Nothing seen yet.
  package init(bounds: HistogramBounds) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.nanoseconds.count + 1)
    sumNanoseconds = 0
  }

  init(bounds: HistogramBounds, counts: [UInt64], sumNanoseconds: UInt64) {
    self.bounds = bounds
    self.counts = counts
    self.sumNanoseconds = sumNanoseconds
  }

  /// Adds what another part has seen, which must have the same bounds.
  package mutating func add(_ other: HistogramSnapshot) {
    precondition(bounds == other.bounds)
    for index in counts.indices { counts[index] &+= other.counts[index] }
    sumNanoseconds &+= other.sumNanoseconds
  }
}
