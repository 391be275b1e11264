/// Formats a gateway's load as text.
struct LoadText {
  let load: GatewayLoad

  /// The columns of the plain lines.
  static let heading =
    "connections  sessions  channels  messages/s  deliveries/s  withheld/s  refused/s  ack p50  ack p99"

  /// One line under ``heading``.
  var line: String {
    let cells = [
      (count("parley_connections"), 11), (count("parley_sessions"), 8),
      (count("parley_channels"), 8), (accepted, 10), (rate("parley_deliveries_total"), 12),
      (rate("parley_withheld_total"), 10), (rate("parley_refused_total"), 9),
      (latency(0.5, acknowledgement), 7), (latency(0.99, acknowledgement), 7),
    ]
    return cells.map { text, width in
      String(repeating: " ", count: max(0, width - text.count)) + text
    }.joined(separator: "  ")
  }

  /// The lines of a whole screen.
  var screen: [String] {
    [
      "", row("now", places), row("messages", messages), row("refused", refusals),
      row("delivered", deliveries), row("bytes", bytes), row("latency", latencies),
      row("previews", previews), row("process", process),
    ]
  }

  private let acknowledgement = "parley_message_acknowledgement_seconds"

  private var places: [(String, String)] {
    ["connections", "sessions", "channels", "participants", "subscriptions"].map {
      ($0, count("parley_\($0)"))
    }
  }

  private var messages: [(String, String)] {
    [("accepted/s", accepted)]
      + ["updated", "deleted", "repeated", "failed"].map {
        ("\($0)/s", rate("parley_messages_total", "outcome", $0))
      }
  }

  private var refusals: [(String, String)] {
    ["flood", "muted", "frozen", "banned", "not_in_channel", "rate"].map {
      ("\($0)/s", rate("parley_refused_total", "reason", $0))
    }
  }

  private var deliveries: [(String, String)] {
    [
      ("deliveries/s", rate("parley_deliveries_total")),
      ("withheld/s", rate("parley_withheld_total")),
      ("slow closed", count("parley_slow_consumers_closed_total")),
    ]
  }

  private var bytes: [(String, String)] {
    [
      ("in/s", size(load.rate("parley_received_bytes_total"))),
      ("out/s", size(load.rate("parley_sent_bytes_total"))),
    ]
  }

  private var latencies: [(String, String)] {
    [
      ("ack p50", latency(0.5, acknowledgement)), ("p99", latency(0.99, acknowledgement)),
      ("commit p50", latency(0.5, "parley_store_commit_seconds")),
      ("p99", latency(0.99, "parley_store_commit_seconds")),
    ]
  }

  private var previews: [(String, String)] {
    [
      ("looked up/s", rate("parley_preview_lookups_total")),
      ("fetched/s", rate("parley_preview_fetches_total")),
      ("under way", count("parley_preview_fetches_in_flight")),
      ("p99", latency(0.99, "parley_preview_fetch_seconds")),
    ]
  }

  private var process: [(String, String)] {
    [
      ("cpu", "\(Self.fixed(load.rate("process_cpu_seconds_total") * 100, digits: 0)) %"),
      ("memory", size(load.now("process_resident_memory_bytes"))),
      ("descriptors", count("process_open_fds")),
      ("store queue", count("parley_store_write_queue")),
      ("storage", load.after.sum("parley_store_healthy") == 0 ? "FAILING" : "works"),
    ]
  }

  private var accepted: String { rate("parley_messages_total", "outcome", "accepted") }

  private func row(_ name: String, _ cells: [(String, String)]) -> String {
    name.padding(to: 11) + cells.map { "\($0) \($1)" }.joined(separator: "   ")
  }

  private func count(_ name: String) -> String { Self.fixed(load.now(name), digits: 0) }

  private func rate(_ name: String) -> String { Self.fixed(load.rate(name), digits: 1) }

  private func rate(_ name: String, _ label: String, _ text: String) -> String {
    Self.fixed(load.rate(name, where: label, is: text), digits: 1)
  }

  private func latency(_ part: Double, _ name: String) -> String {
    guard let seconds = load.quantile(part, of: name) else { return "-" }
    guard seconds.isFinite else { return "more" }
    return "\(Self.fixed(seconds * 1000, digits: seconds < 0.01 ? 1 : 0)) ms"
  }

  private func size(_ bytes: Double) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = bytes
    var index = 0
    while value >= 1024, index < units.count - 1 {
      value /= 1024
      index += 1
    }
    return "\(Self.fixed(value, digits: index == 0 ? 0 : 1)) \(units[index])"
  }

  /// Formats a number with 0 or 1 decimal digits; numbers from 10¹⁵ on are dashes.
  static func fixed(_ value: Double, digits: Int) -> String {
    let factor = digits == 0 ? 1.0 : 10.0
    let scaled = (value * factor).rounded()
    guard scaled.magnitude < 1e15 else { return "-" }
    let whole = Int64(scaled)
    return digits == 0 ? "\(whole)" : "\(whole / 10).\(abs(whole % 10))"
  }
}

/// The load of a gateway between two readings of its metrics.
struct GatewayLoad {
  let before: MetricsText
  let after: MetricsText
  /// The time between the two readings.
  let seconds: Double

  /// Returns the current value of a metric.
  func now(_ name: String) -> Double { after.sum(name) ?? 0 }

  /// Returns the growth of a counter per second; a counter reset by a restart grew by its value.
  func rate(_ name: String) -> Double {
    rate(before.sum(name) ?? 0, after.sum(name) ?? 0)
  }

  /// Returns the growth per second of a counter with a label.
  func rate(_ name: String, where label: String, is text: String) -> Double {
    rate(before.sum(name, where: label, is: text), after.sum(name, where: label, is: text))
  }

  /// Returns a quantile of a histogram in seconds; `nil` without measurements, infinite beyond the
  /// largest bound.
  func quantile(_ part: Double, of name: String) -> Double? {
    let old = Dictionary(
      before.buckets(name).map { ($0.bound, $0.count) }, uniquingKeysWith: { $1 })
    let grown = after.buckets(name).map { bucket in
      let past = old[bucket.bound] ?? 0
      return (bound: bucket.bound, count: bucket.count < past ? bucket.count : bucket.count - past)
    }
    guard let total = grown.last?.count, total > 0 else { return nil }
    return grown.first { $0.count >= total * part }?.bound
  }

  private func rate(_ old: Double, _ new: Double) -> Double {
    guard seconds > 0 else { return 0 }
    return (new < old ? new : new - old) / seconds
  }
}
