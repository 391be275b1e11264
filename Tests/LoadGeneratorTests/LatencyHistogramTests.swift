import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Latency histogram")
struct LatencyHistogramTests {
  @Test("a quantile is never below the true one, and at most 1/128 above it", arguments: 1...20)
  func errorBound(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var histogram = LatencyHistogram()
    var values: [Int64] = []
    for _ in 0..<2000 {
      let bits = Int64.random(in: 0...40, using: &generator)
      let value = Int64.random(in: 0...(1 << bits), using: &generator)
      values.append(value)
      histogram.record(value)
    }
    values.sort()
    for part in [0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1] {
      let rank = max(1, Int((Double(values.count) * part).rounded(.up)))
      let exact = values[rank - 1]
      let told = histogram.quantile(part) ?? -1
      #expect(told >= exact, "seed \(seed), part \(part)")
      #expect(told <= exact + exact / 128 + 1, "seed \(seed), part \(part)")
    }
    #expect(histogram.maximum == values.last)
  }

  @Test("two merged histograms equal one of all values", arguments: 1...5)
  func merging(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var (one, other, all) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
    for index in 0..<1000 {
      let value = Int64.random(in: 0...10_000_000_000, using: &generator)
      if index % 3 == 0 { one.record(value) } else { other.record(value) }
      all.record(value)
    }
    one.merge(other)
    #expect(one.count == all.count)
    #expect(one.maximum == all.maximum)
    for part in [0.1, 0.5, 0.99, 1] { #expect(one.quantile(part) == all.quantile(part)) }
  }

  @Test("values out of range count at the end of the range")
  func outOfRange() {
    var histogram = LatencyHistogram()
    #expect(histogram.quantile(0.5) == nil)
    histogram.record(-5)
    histogram.record(.max)
    #expect(histogram.quantile(0.5) == 0)
    #expect(histogram.quantile(1) == LatencyHistogram.longest)
    #expect(histogram.count == 2)
  }
}
