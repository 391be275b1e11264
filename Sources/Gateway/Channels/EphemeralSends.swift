import DequeModule

/// The results of an ephemeral channel's latest sends that carried a `req_id`.
///
/// Kept in memory only, for ten minutes and at most 4,096 of them.
struct EphemeralSends<Outcome> {
  private static var lifetime: Int64 { 600_000 }
  private static var limit: Int { 4096 }

  private var results: [RequestKey: Outcome] = [:]
  private var order: Deque<(key: RequestKey, time: Int64)> = []

  /// The result of a send that is repeated; `nil` when it is not known.
  mutating func result(of key: RequestKey, now: Int64) -> Outcome? {
    forget(now: now)
    return results[key]
  }

  mutating func record(_ result: Outcome, of key: RequestKey, now: Int64) {
    results[key] = result
    order.append((key, now))
    forget(now: now)
  }

  private mutating func forget(now: Int64) {
    while let oldest = order.first,
      order.count > Self.limit || oldest.time + Self.lifetime <= now
    {
      order.removeFirst()
      results[oldest.key] = nil
    }
  }
}
