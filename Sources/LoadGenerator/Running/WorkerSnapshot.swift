/// How a worker stands, for whoever shows it.
struct WorkerSnapshot: Sendable {
  let counters: LoadCounters
  /// Deliveries since the snapshot before.
  let interval: LatencyHistogram
  /// Sends without an answer.
  let pending: Int
  /// Connections on their way to being ready.
  let connecting: Int
}

/// All that a worker has measured.
struct WorkerResult: Sendable {
  let counters: LoadCounters
  let latencies: Latencies
  let accepted: [(channel: UInt32, message: ConfirmedMessage)]
  /// Those of slow readers apart: what they miss when they are put out is no loss.
  let traces: [SubscriptionTrace]
  let unanswered: [UInt32: Int]
  let notes: [String]
}

extension LoadWorker {
  func takeSnapshot() -> WorkerSnapshot {
    defer { interval = LatencyHistogram() }
    var connecting = waiting.count
    var pending = 0
    for connection in connections {
      pending += connection.pending.count
      switch connection.state {
      case .connecting, .preparing: connecting += 1
      case .idle, .ready, .over: break
      }
    }
    return WorkerSnapshot(
      counters: counters, interval: interval, pending: pending, connecting: connecting)
  }

  func result() -> WorkerResult {
    var unanswered: [UInt32: Int] = [:]
    for connection in connections {
      for send in connection.pending.values { unanswered[send.channel, default: 0] += 1 }
    }
    return WorkerResult(
      counters: counters, latencies: latencies, accepted: accepted,
      traces: connections.flatMap { $0.traces.filter(\.hasEntered) }, unanswered: unanswered,
      notes: notes)
  }
}
