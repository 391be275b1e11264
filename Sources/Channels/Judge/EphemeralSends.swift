import DequeModule

/// The results of an ephemeral channel's latest sends that carried a `req_id`.
///
/// Kept in memory only, for ten minutes, and at most 4,096 of them or 1 MiB.
struct EphemeralSends<Outcome: Sendable>: Sendable {
  private static var lifetime: Int64 { 600_000 }
  private static var countLimit: Int { 4096 }
  private static var byteLimit: Int { 1_048_576 }

  private struct Entry {
    let key: RequestKey
    let time: Int64
    var byteCount: Int
  }

  private var results: [RequestKey: Outcome] = [:]
  private var order: Deque<Entry> = []
  /// Bytes of all results together.
  private(set) var byteCount = 0

  /// The result of a send that is repeated; `nil` when it is not known.
  mutating func result(of key: RequestKey, now: Int64) -> Outcome? {
    forget(now: now)
    return results[key]
  }

  /// - Parameter byteCount: What the result holds; one that is larger than all may be is not kept.
  mutating func record(_ result: Outcome, of key: RequestKey, byteCount: Int, now: Int64) {
    results[key] = result
    order.append(Entry(key: key, time: now, byteCount: byteCount))
    self.byteCount += byteCount
    forget(now: now)
  }

  /// Replaces the result of a send that is known, whose time stays.
  mutating func replace(_ result: Outcome, of key: RequestKey, byteCount: Int, now: Int64) {
    guard results[key] != nil, let index = order.lastIndex(where: { $0.key == key }) else { return }
    results[key] = result
    self.byteCount += byteCount - order[index].byteCount
    order[index].byteCount = byteCount
    forget(now: now)
  }

  private mutating func forget(now: Int64) {
    while let oldest = order.first,
      order.count > Self.countLimit || byteCount > Self.byteLimit
        || oldest.time + Self.lifetime <= now
    {
      order.removeFirst()
      results[oldest.key] = nil
      byteCount -= oldest.byteCount
    }
  }
}
