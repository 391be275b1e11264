import Channels
import Dispatch
import Reactor
import Synchronization
import Telemetry

/// The metrics of the last day, for charts; any thread may read them.
final class MetricRecord: Sendable {
  /// Milliseconds between two values.
  static let interval: Int64 = 30_000
  private static let length = 2_880

  /// The metrics that charts show: traffic, waits, and what runs out.
  private static let names = [
    "parley_messages_total", "parley_deliveries_total", "parley_withheld_total",
    "parley_refused_total", "parley_calls_total", "parley_calls_failed_total",
    "parley_sessions", "parley_connections", "parley_participants", "parley_channels",
    "parley_groups", "parley_message_acknowledgement_seconds", "parley_store_commit_seconds",
    "parley_store_write_queue", "parley_mailbox_queue", "parley_held_bytes",
    "parley_slow_consumers_closed_total", "parley_received_bytes_total",
    "parley_sent_bytes_total", "parley_webhook_backlog_events", "parley_push_backlog",
    "parley_push_total", "parley_previews_total", "parley_translations_total",
    "parley_thumbnails_total", "parley_uploads_total", "process_cpu_seconds_total",
    "process_resident_memory_bytes", "process_open_fds", "process_threads",
    "parley_disk_free_bytes",
  ]

  private let state = Mutex(MetricHistory(of: names, limit: length))

  var history: MetricHistory { state.withLock { $0 } }

  func add(_ samples: [MetricSample], at time: Int64) {
    state.withLock { $0.record(samples, at: time) }
  }
}

/// Records the metrics every half minute, by a timer of the first shard.
final class MetricRecorder: TimerHandler {
  private unowned let shard: Shard

  init(on shard: Shard) {
    self.shard = shard
    record()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { record() }

  private func record() {
    // Reading the files of the process takes long when there are many descriptors.
    DispatchQueue.global(qos: .utility).async { [services = shard.services] in
      services.metricRecord.add(
        services.allSamples, at: services.clock.now)
    }
    _ = shard.loop.schedule(after: MetricRecord.interval, self)
  }
}
