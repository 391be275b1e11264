/// Remembers which requests may have been carried out before, for sends that are refused.
///
/// Answers "no" only when it is certain, so that a refusal costs no look-up in the store. Of each
/// request only a hash is kept; past a bounded number the answer is "maybe" for a lifetime. A pure
/// value: times are Unix milliseconds.
struct RecentRequests: Sendable {
  static let capacity = 8_192

  /// Messages of this time and before may have been made by requests that are not known here.
  private var unknownUntil: Int64
  /// Hashes of the requests of the current and of the last period, each as long as a lifetime.
  private var current: Set<Int> = []
  private var last: Set<Int> = []
  private var periodStart = Int64.min

  /// - Parameter unknownUntil: The latest `created_at` that the channel had when it was loaded.
  init(unknownUntil: Int64) {
    self.unknownUntil = unknownUntil
  }

  /// Takes note of a request that may be carried out with a `created_at` of `time` or later.
  mutating func note(_ key: RequestKey, at time: Int64) {
    turn(at: time)
    guard current.count < Self.capacity else {
      // What the store writes from now on until the period ends is not known here.
      unknownUntil = max(unknownUntil, time)
      return
    }
    current.insert(key.hashValue)
  }

  /// Whether the request may have been carried out within its lifetime.
  mutating func mayContain(_ key: RequestKey, at now: Int64) -> Bool {
    turn(at: now)
    guard unknownUntil <= now - requestIDLifetimeMilliseconds else { return true }
    let hash = key.hashValue
    return current.contains(hash) || last.contains(hash)
  }

  private mutating func turn(at now: Int64) {
    guard periodStart != .min else {
      periodStart = now
      return
    }
    let age = now - periodStart
    guard age >= requestIDLifetimeMilliseconds else { return }
    last = age < 2 * requestIDLifetimeMilliseconds ? current : []
    current = []
    periodStart = now
  }
}
