import Telemetry

/// Something about a server that needs the attention of an operator.
struct Problem: Sendable, Equatable {
  /// The kinds in the order in which they are listed: first what stops messages.
  enum Kind: String, Sendable, CaseIterable {
    case storage
    case writesWait = "writes_wait"
    case bus
    case disk
    case quotas
    case descriptors
    case certificate
    case fileKeys = "file_keys"
    case keySets = "key_sets"
    case apiToken = "api_token"
    case hooks
    case webhooks
    case pushes
    case translation
    case previews
    case settings
    case auditLog = "audit_log"
    case log
    case clock
  }

  let kind: Kind
  let message: String
  let remedy: String
}

/// Finds problems in the metrics of a server, with the thresholds of the alerts that come with Parley.
///
/// A problem is about the present, except for lost lines: those are counted since the start.
struct ProblemFinder {
  private static let day = 86_400.0
  /// A certificate is renewed by programs weeks before it expires.
  static let certificateDays = 21.0
  static let tokenDays = 14.0
  static let diskByteCount = 2e9
  static let waitingWrites = 5_000.0
  static let descriptorShare = 0.85
  /// Age of the oldest webhook event or push that waits, in seconds.
  static let oldestSeconds = 300.0
  /// Time after which a key set should have been fetched, in seconds.
  static let overdueSeconds = 300.0
  /// Time after the start in which a key set should have been fetched, in seconds.
  static let startSeconds = 30.0
  static let echoSeconds = 3.0
  static let clockLagSeconds = 1.0

  private let values: [String: [(labels: [MetricDefinition.Label], value: Double)]]

  init(_ samples: [MetricSample]) {
    values = Dictionary(grouping: samples, by: \.definition.name).mapValues { samples in
      samples.compactMap { sample in
        sample.value.number.map { (sample.definition.labels, $0) }
      }
    }
  }

  /// The problems, in the order of their kinds.
  var problems: [Problem] {
    Problem.Kind.allCases.flatMap { kind in
      found(kind).map { Problem(kind: kind, message: $0.message, remedy: $0.remedy) }
    }
  }

  private func found(_ kind: Problem.Kind) -> [(message: String, remedy: String)] {
    switch kind {
    case .storage:
      check(
        "parley_store_healthy", { $0 == 0 }, "the storage refuses writes: no message is accepted",
        "read the log for the reason, and check the disk or the database")
    case .writesWait:
      check(
        "parley_store_write_queue", { $0 > Self.waitingWrites },
        "more than \(Int(Self.waitingWrites)) writes wait for the storage",
        "check how fast the disk or the database commits")
    case .bus: bus
    case .disk: disk
    case .quotas: quotas
    case .descriptors: descriptors
    case .certificate: certificate
    case .fileKeys:
      check(
        "parley_file_master_keys_missing", { $0 == 1 },
        "master keys are missing: encrypted files do not open on this server",
        "give this server the file of master keys of the others")
    case .keySets: keySets
    case .apiToken: tokens
    case .hooks: hooks
    case .webhooks:
      check(
        "parley_webhook_oldest_event_seconds", { $0 > Self.oldestSeconds },
        "webhook events wait: the oldest for \(time(first("parley_webhook_oldest_event_seconds")))",
        "the view Webhooks, or parley webhooks, has the last failure of each receiver")
    case .pushes:
      check(
        "parley_push_oldest_seconds", { $0 > Self.oldestSeconds },
        "pushes wait: the oldest for \(time(first("parley_push_oldest_seconds")))",
        "the view Push, or parley push, has the last failure of each service")
    case .translation:
      check(
        "parley_translation_service_up", { $0 == 0 }, "the translation service does not answer",
        "check the service of translation.url; messages are sent without translations")
    case .previews:
      check(
        "parley_preview_service_up", { $0 == 0 },
        "the preview service does not answer: messages have no new previews",
        "check parley-unfurl at unfurl.url")
    case .settings:
      check(
        "parley_settings_reloaded", { $0 == 0 },
        "the new settings were refused; the previous ones stay in force",
        "read the log for the reason, correct the settings, and reload again")
    case .auditLog: lost("parley_audit_lines_total", "audit log", "check audit.log and its disk")
    case .log:
      check(
        "parley_log_lines_lost_total", { $0 > 0 },
        "\(Int(first("parley_log_lines_lost_total"))) lines of the log were lost since the start",
        "check the program that reads the log, or its disk")
    case .clock:
      check(
        "parley_clock_behind_seconds", { $0 > Self.clockLagSeconds },
        "the clock is \(time(first("parley_clock_behind_seconds"))) behind the newest message",
        "check the time synchronization of the machine")
    }
  }
}

extension ProblemFinder {
  private var bus: [(message: String, remedy: String)] {
    let remedy = "check cluster.bus; other servers take over what this one cannot do"
    let down = check(
      "parley_cluster_bus_up", { $0 == 0 }, "the server has no connection to the bus", remedy)
    guard down.isEmpty else { return down }
    return check(
      "parley_cluster_echo_seconds", { $0 > Self.echoSeconds },
      "the server receives none of its own messages on the bus", remedy)
  }

  /// The hooks whose circuit is open.
  private var hooks: [(message: String, remedy: String)] {
    let open = (values["parley_hook_circuit_open"] ?? []).filter { $0.value == 1 }
    guard !open.isEmpty else { return [] }
    let names = open.flatMap { $0.labels.map(\.value) }.joined(separator: ", ")
    return [
      (
        "the app's back end gives no valid answers: \(names)",
        "parley hooks has the last failure; until it answers, hooks.on_failure decides"
      )
    ]
  }

  private var disk: [(message: String, remedy: String)] {
    check(
      "parley_disk_free_bytes", { $0 < Self.diskByteCount },
      "less than 2 GB are left on the disk of data_dir",
      "make room: without any, the storage refuses writes")
  }

  private var quotas: [(message: String, remedy: String)] {
    (values["parley_quota_used_ratio"] ?? []).compactMap { labels, share in
      guard share >= QuotaWatch.warningShare else { return nil }
      let name = labels.first?.value ?? ""
      return (
        share < 1
          ? "\(Int(share * 100)) % of \(name) are used"
          : "\(name) is used up: users cannot send messages",
        "raise the quota, or remove data: store.retention_days removes old messages"
      )
    }
  }

  private var descriptors: [(message: String, remedy: String)] {
    let (open, limit) = (first("process_open_fds"), first("process_max_fds"))
    guard limit > 0, open / limit > Self.descriptorShare else { return [] }
    return [
      (
        "\(Int(open)) of \(Int(limit)) descriptors are open",
        "raise the limit (LimitNOFILE), or add servers: without any, connections are refused"
      )
    ]
  }

  private var certificate: [(message: String, remedy: String)] {
    (values["parley_certificate_expiry_seconds"] ?? []).compactMap { _, seconds in
      guard seconds <= Self.certificateDays * Self.day else { return nil }
      return (
        seconds > 0
          ? "the TLS certificate expires in \(time(seconds))" : "the TLS certificate has expired",
        "renew the file of tls.certificate, and reload with SIGHUP"
      )
    }
  }

  private var keySets: [(message: String, remedy: String)] {
    (values["parley_jwks_overdue_seconds"] ?? []).compactMap { labels, seconds in
      let hasKeys = values["parley_jwks_keys"]?.contains { $0.labels == labels && $0.value > 0 }
      guard seconds > (hasKeys == true ? Self.overdueSeconds : Self.startSeconds) else {
        return nil
      }
      let issuer = labels.first?.value ?? ""
      return (
        hasKeys == true
          ? "the keys of \(issuer) were to be fetched again \(time(seconds)) ago"
          : "there are no keys of \(issuer): its tokens are refused",
        "read the log for the reason, and check the URL in auth.jwks"
      )
    }
  }

  private var tokens: [(message: String, remedy: String)] {
    (values["parley_api_token_expiry_seconds"] ?? []).compactMap { labels, seconds in
      guard seconds <= Self.tokenDays * Self.day else { return nil }
      let name = labels.first?.value ?? ""
      return seconds > 0
        ? ("the API token \(name) expires in \(time(seconds))", "issue another one, and revoke it")
        : ("the API token \(name) has expired", "revoke it, and replace it if it is still in use")
    }
  }

  private func lost(
    _ name: String, _ log: String, _ remedy: String
  ) -> [(message: String, remedy: String)] {
    let lost = (values[name] ?? []).first { $0.labels.contains { $0.value == "lost" } }?.value ?? 0
    guard lost > 0 else { return [] }
    return [("\(Int(lost)) lines of the \(log) were lost since the start", remedy)]
  }

  private func first(_ name: String) -> Double { values[name]?.first?.value ?? 0 }

  /// One problem if a metric without labels is there and has a bad value.
  private func check(
    _ name: String, _ isBad: (Double) -> Bool, _ message: String, _ remedy: String
  ) -> [(message: String, remedy: String)] {
    values[name]?.contains { isBad($0.value) } == true ? [(message, remedy)] : []
  }

  /// A duration in its largest unit, as in `3 days`.
  private func time(_ seconds: Double) -> String {
    let units = [(Self.day, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
    let (size, name) = units.first { seconds >= $0.0 } ?? (1, "second")
    let count = Int(seconds / size)
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }
}

extension MetricSample.Value {
  /// `nil` for a histogram.
  fileprivate var number: Double? {
    switch self {
    case .count(let count): Double(count)
    case .level(let level): Double(level)
    case .real(let real): real
    case .histogram: nil
    }
  }
}
