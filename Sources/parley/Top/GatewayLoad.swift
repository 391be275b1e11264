/// What a gateway did between two looks at its metrics.
struct GatewayLoad {
  let before: MetricsText
  let after: MetricsText
  /// The time between the two.
  let seconds: Double

  /// A number as it is now.
  func now(_ name: String) -> Double { after.sum(name) ?? 0 }

  /// How much a counter grew in a second; one that was set back by a restart grew by what it is.
  func rate(_ name: String) -> Double {
    rate(before.sum(name) ?? 0, after.sum(name) ?? 0)
  }

  /// How much a counter with a label grew in a second.
  func rate(_ name: String, where label: String, is text: String) -> Double {
    rate(before.sum(name, where: label, is: text), after.sum(name, where: label, is: text))
  }

  /// The bound under which that part of what was measured lay, in seconds; `nil` when nothing was
  /// measured, infinite beyond the largest bound.
  func quantile(_ part: Double, of name: String) -> Double? {
    let old = Dictionary(
      before.buckets(name).map { ($0.bound, $0.count) }, uniquingKeysWith: { $1 })
    let grown = after.buckets(name).map { bucket in
      let past = old[bucket.bound] ?? 0
      return (bound: bucket.bound, count: bucket.count < past ? bucket.count : bucket.count - past)
    }
    guard let total = grown.last?.count, total > 0 else { return nil }
    return grown.first { $0.count >= total * part }?.bound
  }

  private func rate(_ old: Double, _ new: Double) -> Double {
    guard seconds > 0 else { return 0 }
    return (new < old ? new : new - old) / seconds
  }
}
