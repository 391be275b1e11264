/// The upper bounds of a histogram's buckets, in nanoseconds, ascending.
package struct HistogramBounds: Sendable, Equatable {
  @usableFromInline
  package let nanoseconds: [UInt64]

  /// Takes the bounds in any order; equal ones count once.
  package init(nanoseconds: [UInt64]) {
    self.nanoseconds = Set(nanoseconds).sorted()
  }

  /// 1, 2.5 and 5 times the powers of ten from 50 microseconds to 10 seconds.
  package static let latency = HistogramBounds(nanoseconds: [
    50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
    500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
  ])

  /// The index of the first bucket whose bound is not below the value; one past the last bound for
  /// a value above all.
  @inlinable
  package func bucket(of value: UInt64) -> Int {
    var low = 0
    var high = nanoseconds.count
    while low < high {
      let middle = (low + high) / 2
      if nanoseconds[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
