import Reactor
import Store
import Telemetry

extension GatewayServices {
  /// What the store says of itself.
  var storeSamples: [MetricSample] {
    let statistics = store.statistics
    let isHealthy = store.health == .healthy
    return [
      sample("parley_store_batches_total", .counter, "Commits.", statistics.batchCount),
      sample(
        "parley_store_failed_batches_total", .counter, "Commits that failed.",
        statistics.failedBatchCount),
      sample("parley_store_jobs_total", .counter, "Jobs committed.", statistics.jobCount),
      sample(
        "parley_store_write_queue", .gauge, "Jobs that wait for the writer.",
        statistics.queueLength),
      sample(
        "parley_store_read_queue", .gauge, "Jobs that wait for a reader.",
        statistics.readQueueLength),
      sample("parley_store_healthy", .gauge, "1 while the storage works.", isHealthy ? 1 : 0),
      sample(
        "parley_mailbox_queue", .gauge, "Jobs that wait in the nodes' mailboxes.",
        cluster.nodes.reduce(0) { $0 + $1.mailbox.count }),
    ]
  }

  private func sample(
    _ name: String, _ kind: MetricDefinition.Kind, _ help: String, _ value: Int
  ) -> MetricSample {
    MetricSample(
      MetricDefinition(name, kind: kind, help: help),
      kind == .counter ? .count(UInt64(max(0, value))) : .level(Int64(value)))
  }
}
