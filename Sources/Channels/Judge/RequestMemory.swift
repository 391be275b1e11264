import DequeModule
import ParleyProtocol

/// The sends with a `req_id` that a channel remembers, so that a repetition sends nothing.
struct RequestMemory: Sendable {
  /// The calls that repeated a send on its way to the log.
  private var joined: [RequestKey: [CallID]] = [:]
  /// The requests that may have been carried out before, in a channel that keeps its messages.
  private var recent: RecentRequests
  /// The last requests of an ephemeral channel, which are kept only here.
  private var ephemeral = EphemeralSends<SentMessage>()

  /// - Parameter unknownUntil: The latest `created_at` when the channel was loaded.
  init(unknownUntil: Int64) {
    recent = RecentRequests(unknownUntil: unknownUntil)
  }

  /// Makes a call wait for the send that it repeats, if that send is in progress.
  mutating func join(_ key: RequestKey, _ call: CallID) -> Bool {
    joined[key]?.append(call) != nil
  }

  /// Records a send that is on its way to the log.
  mutating func begin(_ key: RequestKey, isEphemeral: Bool, at createdAt: Int64) {
    joined[key] = []
    if !isEphemeral { recent.note(key, at: createdAt) }
  }

  /// Records that a send that has waited is on its way to the log.
  mutating func renew(_ key: RequestKey, isEphemeral: Bool, at createdAt: Int64) {
    if !isEphemeral { recent.note(key, at: createdAt) }
  }

  /// - Returns: The calls that repeated the send meanwhile.
  mutating func end(_ key: RequestKey) -> [CallID] { joined.removeValue(forKey: key) ?? [] }

  /// The message of an earlier send to an ephemeral channel.
  mutating func ephemeralResult(of key: RequestKey, at now: Int64) -> SentMessage? {
    ephemeral.result(of: key, now: now)
  }

  mutating func recordEphemeral(_ sent: SentMessage, of key: RequestKey, at now: Int64) {
    ephemeral.record(sent, of: key, byteCount: sent.byteCount, now: now)
  }

  /// Applies an update of an ephemeral channel's message, for repetitions of its send.
  mutating func replaceEphemeral(_ message: Message, of key: RequestKey, at now: Int64) {
    guard let first = ephemeral.result(of: key, now: now), first.message.id == message.id else {
      return
    }
    let sent = SentMessage(message, seq: first.seq, first.arrival)
    ephemeral.replace(sent, of: key, byteCount: sent.byteCount, now: now)
  }

  /// Whether a request may have been carried out before.
  mutating func mayContain(_ key: RequestKey, at now: Int64) -> Bool {
    recent.mayContain(key, at: now)
  }
}

/// Remembers which requests may have been carried out before, for sends that are refused.
///
/// Answers "no" only when certain, so that a refusal costs no look-up in the store. Only a hash of
/// each request is kept; beyond a bounded number the answer is "maybe" for a lifetime. A pure
/// value: times are Unix milliseconds.
struct RecentRequests: Sendable {
  static let capacity = 8_192

  /// Messages up to this time may have been made by requests that are not known here.
  private var unknownUntil: Int64
  /// Hashes of the requests of the current and the last period, each as long as a lifetime.
  private var current: Set<Int> = []
  private var last: Set<Int> = []
  private var periodStart = Int64.min

  /// - Parameter unknownUntil: The latest `created_at` of the channel when it was loaded.
  init(unknownUntil: Int64) {
    self.unknownUntil = unknownUntil
  }

  /// Records a request that may be carried out with a `created_at` of `time` or later.
  mutating func note(_ key: RequestKey, at time: Int64) {
    turn(at: time)
    guard current.count < Self.capacity else {
      // Requests that the store writes from now until the period ends are not known here.
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

/// The results of an ephemeral channel's latest sends that carried a `req_id`.
///
/// Kept in memory only, for ten minutes, at most 4,096 results or 1 MiB.
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
  /// The total size of all results.
  private(set) var byteCount = 0

  /// The result of a repeated send; `nil` if it is not known.
  mutating func result(of key: RequestKey, now: Int64) -> Outcome? {
    forget(now: now)
    return results[key]
  }

  /// - Parameter byteCount: The size of the result; a result larger than the total limit is not kept.
  mutating func record(_ result: Outcome, of key: RequestKey, byteCount: Int, now: Int64) {
    results[key] = result
    order.append(Entry(key: key, time: now, byteCount: byteCount))
    self.byteCount += byteCount
    forget(now: now)
  }

  /// Replaces the result of a known send, keeping its time.
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
