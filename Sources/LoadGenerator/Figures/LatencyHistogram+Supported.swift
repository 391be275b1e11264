extension LatencyHistogram {
  /// The quantile that has enough latencies for it: at least one lies above, or it is the longest.
  ///
  /// The 99th percentile takes 100 latencies, the 99.9th 1,000. With fewer, it is the longest by
  /// another name.
  package func supportedQuantile(_ part: Double) -> Int64? {
    // 1 - 0.99 is a little more than 0.01.
    let above = Double(count) * (1 - part) + 0.000_001
    return part >= 1 || above >= 1 ? quantile(part) : nil
  }
}
