import Store
import Reactor
import Telemetry
import Webhooks

extension GatewayServices {
  /// What is read when the metrics are asked for.
  var samples: [MetricSample] {
    storeSamples + memorySamples + (previews?.samples ?? [])
      + (webhooks?.samples(at: clock.now) ?? [])
  }

  /// Memory of the connections, and its limit.
  private var memorySamples: [MetricSample] {
    [
      MetricSample(
        "parley_held_bytes", .gauge, "Bytes that connections hold in memory.", memory.byteCount),
      MetricSample(
        "parley_held_bytes_limit", .gauge, "Bytes that connections may hold.", memory.limit),
    ]
  }

  /// What the store says of itself.
  private var storeSamples: [MetricSample] {
    let statistics = store.statistics
    let isHealthy = store.health == .healthy
    return [
      MetricSample("parley_store_batches_total", .counter, "Commits.", statistics.batchCount),
      MetricSample(
        "parley_store_failed_batches_total", .counter, "Commits that failed.",
        statistics.failedBatchCount),
      MetricSample("parley_store_jobs_total", .counter, "Jobs committed.", statistics.jobCount),
      MetricSample(
        "parley_store_write_queue", .gauge, "Jobs that wait for the writer.",
        statistics.queueLength),
      .readQueue("look_up", statistics.lookUpQueueLength),
      .readQueue("query", statistics.queryQueueLength),
      MetricSample(
        "parley_store_queries_total", .counter, "Lists, searches and counts read.",
        statistics.queryCount),
      MetricSample(
        "parley_store_queries_cut_short_total", .counter,
        "Those that answered with part of what there is after limits.query_ms.",
        statistics.cutShortQueryCount),
      MetricSample(
        MetricDefinition(
          "parley_store_query_seconds_total", kind: .counter, help: "Time that they took."),
        .real(Double(statistics.totalQueryNanoseconds) / 1e9)),
      MetricSample("parley_store_healthy", .gauge, "1 while the storage works.", isHealthy ? 1 : 0),
      MetricSample(
        "parley_mailbox_queue", .gauge, "Jobs that wait in the shards' mailboxes.",
        shards.handles.reduce(0) { $0 + $1.mailbox.count }),
    ]
  }
}

extension MetricSample {
  fileprivate static func readQueue(_ lane: String, _ length: Int) -> MetricSample {
    MetricSample(
      "parley_store_read_queue", .gauge, "Jobs that wait for a reader, by lane.", length,
      MetricDefinition.Label("lane", lane))
  }
}
