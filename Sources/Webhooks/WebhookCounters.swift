import Synchronization

/// Counts of deliveries, and the level of the outbox; read from any thread.
package final class WebhookCounters: Sendable {
  /// A count that never decreases.
  package enum Key: Int, CaseIterable, Sendable {
    /// Events received, counted for each URL.
    case delivered
    /// Requests answered with 2xx.
    case requests
    case failedAttempts
    /// Events discarded for a URL because they were too old.
    case expired
    /// Events removed because too many were waiting.
    case dropped
    /// Events of ephemeral channels that could not be added to the outbox.
    case lost
  }

  private let delivered = Atomic(0)
  private let requests = Atomic(0)
  private let failedAttempts = Atomic(0)
  private let expired = Atomic(0)
  private let dropped = Atomic(0)
  private let lost = Atomic(0)
  private let count = Atomic(0)
  private let oldest = Atomic<Int64>(0)

  package init() {}

  package func add(_ amount: Int, to key: Key) {
    switch key {
    case .delivered: delivered.wrappingAdd(amount, ordering: .relaxed)
    case .requests: requests.wrappingAdd(amount, ordering: .relaxed)
    case .failedAttempts: failedAttempts.wrappingAdd(amount, ordering: .relaxed)
    case .expired: expired.wrappingAdd(amount, ordering: .relaxed)
    case .dropped: dropped.wrappingAdd(amount, ordering: .relaxed)
    case .lost: lost.wrappingAdd(amount, ordering: .relaxed)
    }
  }

  package subscript(key: Key) -> Int {
    switch key {
    case .delivered: delivered.load(ordering: .relaxed)
    case .requests: requests.load(ordering: .relaxed)
    case .failedAttempts: failedAttempts.load(ordering: .relaxed)
    case .expired: expired.load(ordering: .relaxed)
    case .dropped: dropped.load(ordering: .relaxed)
    case .lost: lost.load(ordering: .relaxed)
    }
  }

  /// The number of events in the outbox.
  package var backlog: Int { count.load(ordering: .relaxed) }

  /// The time of the oldest event in the outbox, in Unix milliseconds; `nil` when it is empty.
  package var oldestTimestamp: Int64? {
    let time = oldest.load(ordering: .relaxed)
    return time == 0 ? nil : time
  }

  func publish(_ level: OutboxLevel) {
    count.store(level.count, ordering: .relaxed)
    oldest.store(level.oldest ?? 0, ordering: .relaxed)
  }
}
