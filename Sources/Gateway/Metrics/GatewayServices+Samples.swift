import Channels
import Configuration
import Hooks
import Reactor
import Store
import Streams
import Telemetry
import Thumbnails
import Webhooks

extension GatewayServices {
  /// The samples that are read when the metrics are requested.
  var samples: [MetricSample] {
    storeSamples + diskSamples + memorySamples + waitSamples + auditSamples + uploads.samples
      + vault.samples
      + thumbnails.samples + (translator?.samples ?? []) + (previews?.samples ?? [])
      + (pictures?.samples ?? [])
      + (webhooks?.samples(at: clock.now) ?? []) + (push?.samples(at: clock.now) ?? [])
      + (hooks?.samples ?? [])
      + (cluster?.samples ?? [])
      + (network == nil ? [] : relayCounts.samples) + clockSamples + reloads.samples
      + quotaSamples + storedGroups.samples + reports.samples
      + apiTokens.issued.samples(at: clock.now)
      + certificateSamples + searches.samples(at: clock.now) + authenticator.keys.samples
  }

  /// All samples of the server.
  var allSamples: [MetricSample] { metrics.samples(with: samples) }

  /// The time until the TLS certificate expires; empty without TLS.
  private var certificateSamples: [MetricSample] {
    guard let expiry = certificate?.current.certificateExpiry else { return [] }
    return [
      .seconds(
        "parley_certificate_expiry_seconds",
        "Time until the TLS certificate in use expires; negative after that.",
        expiry * 1_000 - clock.now)
    ]
  }

  private var clockSamples: [MetricSample] {
    let now = now
    let hold = deletionHold.rest(at: now)
    return clockRecord.samples + [
      .seconds(
        "parley_clock_behind_seconds", "Time by which the clock is behind the newest message.",
        clockLag(at: now.unix)),
      .seconds(
        "parley_deletion_hold_seconds",
        "Time until things are deleted for their age again, after a start or a step of the clock.",
        hold),
    ]
  }

  /// The used parts of the quotas of the deployment; empty without such quotas.
  private var quotaSamples: [MetricSample] {
    quotas.usedShares.map { name, share in
      MetricSample(
        MetricDefinition(
          "parley_quota_used_ratio", kind: .gauge, help: "Used part of a quota of the deployment.",
          labels: [MetricDefinition.Label("quota", name)]), .real(share))
    }
  }

  private var waitSamples: [MetricSample] {
    [
      MetricSample(
        "parley_sends_waiting", .gauge, "Messages that wait for what they wish for.",
        sendWaits.count)
    ]
  }

  /// The lines of the audit log; empty without an audit log.
  private var auditSamples: [MetricSample] {
    guard let counts = audit?.counts else { return [] }
    return [("written", counts.written), ("lost", counts.lost)].map { outcome, count in
      MetricSample(
        "parley_audit_lines_total", .counter, "Lines of the audit log, by outcome.", count,
        .init("outcome", outcome))
    }
  }

  /// The memory of the connections, and its limit.
  private var memorySamples: [MetricSample] {
    [
      MetricSample(
        "parley_held_bytes", .gauge, "Bytes that connections hold in memory.", memory.byteCount),
      MetricSample(
        "parley_held_bytes_limit", .gauge, "Bytes that connections may hold.", memory.limit),
    ]
  }

  /// The room on the disk of the data directory; empty when it is not known.
  private var diskSamples: [MetricSample] {
    guard let byteCount = FileSystemRoom.byteCount(below: settings.dataDirectory) else { return [] }
    return [
      MetricSample(
        "parley_disk_free_bytes", .gauge, "Bytes that may still be written to data_dir.",
        Int(byteCount))
    ]
  }

  /// The samples of the store.
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

extension ThumbnailService {
  fileprivate var samples: [MetricSample] {
    let figures = figures
    return ThumbnailOutcome.allCases.map { outcome in
      MetricSample(
        "parley_thumbnails_total", .counter, "Files whose thumbnails were asked for, by outcome.",
        figures.outcomes[outcome] ?? 0, .init("outcome", outcome.rawValue))
    } + [
      MetricSample(
        "parley_thumbnail_queue", .gauge, "Files that wait for their thumbnails.", figures.queued),
      MetricSample(
        "parley_thumbnails_running", .gauge, "Files that are decoded now.", figures.running),
    ]
  }
}

extension UploadService {
  /// Counts of uploads on this server.
  fileprivate var samples: [MetricSample] {
    UploadCounters.Event.allCases.map { event in
      MetricSample(
        "parley_uploads_total", .counter, "Uploads and requests to them, by outcome.",
        Int(clamping: counters.count(of: event)), .init("outcome", event.label))
    } + [
      MetricSample(
        "parley_upload_bytes_total", .counter, "Bytes of uploads written to files.",
        Int(clamping: counters.byteCount)),
      MetricSample(
        "parley_uploads_active", .gauge, "Requests that write to uploads.", writers.count),
    ]
  }
}

extension FileVault {
  /// Counts of encrypted files, and of the keys for them, on this server.
  fileprivate var samples: [MetricSample] {
    func count(_ event: FileVaultCounters.Event) -> Int { Int(clamping: counters.count(of: event)) }
    let keys: [(FileVaultCounters.Event, String)] = [
      (.given, "given"), (.refused, "refused"), (.slowed, "slowed"), (.forbidden, "forbidden"),
    ]
    return keys.map { event, label in
      MetricSample(
        "parley_file_keys_total", .counter,
        "Keys for files: given to users, and brought with requests that were refused.",
        count(event), .init("outcome", label))
    } + [
      MetricSample(
        "parley_files_damaged_total", .counter,
        "Reads of encrypted files that did not authenticate.",
        count(.damaged)),
      MetricSample(
        "parley_file_master_keys_missing", .gauge,
        "1 while the server lacks master keys that it needs for encrypted files, otherwise 0.",
        userKeys.isOn && masterKeys.problem != nil ? 1 : 0),
      MetricSample(
        "parley_file_master_key_misses_total", .counter,
        "Uses of encrypted files whose master key the server lacks.", count(.keyMissing)),
      MetricSample(
        "parley_files_encrypted_total", .counter, "Files in the clear that were encrypted.",
        count(.converted)),
      MetricSample(
        "parley_file_keys_rewrapped_total", .counter,
        "Rows whose keys were wrapped with another master key.", count(.rewrapped)),
    ]
  }
}

extension RelayCounts {
  /// Counts of messages and calls between this server and others.
  fileprivate var samples: [MetricSample] {
    [
      .init(
        "parley_cluster_unreadable_total", .counter,
        "Messages of other servers that could not be read.", self[.unreadable]),
      .init(
        "parley_cluster_passed_on_total", .counter,
        "Messages passed on to another home of their channel or user.", self[.passedOn]),
      .init(
        "parley_cluster_lost_total", .counter, "Messages that found no receiver.", self[.lost]),
      .init(
        "parley_cluster_calls_repeated_total", .counter,
        "Calls sent again after a loss or a move.", self[.repeated]),
      .init(
        "parley_cluster_calls_unanswered_total", .counter,
        "Calls that another server did not answer.", self[.unanswered]),
      .init(
        "parley_cluster_late_answers_total", .counter,
        "Questions to all servers that ended without some.", self[.lateAnswers]),
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

extension MetricSample {
  /// A time in milliseconds, as seconds.
  static func seconds(
    _ name: String, _ help: String, _ milliseconds: Int64
  ) -> MetricSample {
    MetricSample(
      MetricDefinition(name, kind: .gauge, help: help), .real(Double(milliseconds) / 1_000))
  }
}

extension MetricSample {
  /// A number that is read when the metrics are requested.
  init(
    _ name: String, _ kind: MetricDefinition.Kind, _ help: String, _ value: Int,
    _ labels: MetricDefinition.Label...
  ) {
    self.init(
      MetricDefinition(name, kind: kind, help: help, labels: labels),
      kind == .counter ? .count(UInt64(max(0, value))) : .level(Int64(value)))
  }
}

extension Webhooks {
  /// The samples of the webhooks.
  ///
  /// - Parameter now: Unix milliseconds.
  func samples(at now: Int64) -> [MetricSample] {
    let age = counters.oldestTimestamp.map { max(0, now - $0) / 1_000 } ?? 0
    return [
      MetricSample(
        "parley_webhook_events_delivered_total", .counter, "Events that a webhook took.",
        counters[.delivered]),
      MetricSample(
        "parley_webhook_requests_total", .counter, "Requests to webhooks, by outcome.",
        counters[.requests], .init("outcome", "taken")),
      MetricSample(
        "parley_webhook_requests_total", .counter, "Requests to webhooks, by outcome.",
        counters[.failedAttempts], .init("outcome", "failed")),
      dropped("expired", .expired), dropped("backlog", .dropped), dropped("lost", .lost),
      MetricSample(
        "parley_webhook_backlog_events", .gauge, "Events that wait for a webhook.",
        counters.backlog),
      MetricSample(
        "parley_webhook_oldest_event_seconds", .gauge, "Age of the oldest event that waits.",
        Int(age)),
    ]
  }

  private func dropped(_ reason: String, _ key: WebhookCounters.Key) -> MetricSample {
    MetricSample(
      "parley_webhook_events_dropped_total", .counter,
      "Events that a webhook will not get, by reason.", counters[key], .init("reason", reason))
  }
}
