extension LatencyHistogram {
  /// Returns a quantile supported by enough latencies: at least one is above it, or it is the longest.
  ///
  /// The 99th percentile needs 100 latencies, the 99.9th 1,000. With fewer, it would just be the
  /// longest latency.
  package func supportedQuantile(_ part: Double) -> Int64? {
    // 1 - 0.99 is slightly more than 0.01.
    let above = Double(count) * (1 - part) + 0.000_001
    return part >= 1 || above >= 1 ? quantile(part) : nil
  }
}
