/// Formats a gateway's load as text.
struct LoadText {
  let load: GatewayLoad
  /// The intervals of the last minute, including this one.
  var history = LoadHistory()
  /// `nil` without an API token.
  var busiest: BusiestRows?

  /// The columns of the plain lines.
  static let heading =
    "connections  sessions  channels  messages/s  deliveries/s  withheld/s  refused/s  ack p50  ack p99"

  /// One line below ``heading``.
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

  /// The rows of the full screen.
  var rows: [LoadRow] {
    [
      row("now", places), row("messages", messages), row("refused", refusals),
      row("delivered", deliveries), row("bytes", bytes), row("latency", latencies),
      row("previews", previews), row("process", process), row("last minute", history.cells),
    ] + (busiest?.rows ?? [])
  }

  /// The latency in seconds above which users notice a delay.
  private static let slowSeconds = 1.0
  /// The number of jobs above which the store falls behind.
  private static let longQueue = 1_000.0
  /// The fraction of a limit that counts as close to it.
  private static let closePart = 0.9

  private let acknowledgement = "parley_message_acknowledgement_seconds"
  private let commit = "parley_store_commit_seconds"

  private var places: [LoadRow.Cell] {
    ["connections", "sessions", "channels", "participants", "subscriptions"].map {
      LoadRow.Cell(name: $0, value: count("parley_\($0)"))
    }
  }

  private var messages: [LoadRow.Cell] {
    let outcomes = ["updated", "deleted", "repeated", "failed"].map { outcome in
      let failures = outcome == "failed" ? messageRate(outcome) : 0
      return LoadRow.Cell(
        name: "\(outcome)/s", value: rate("parley_messages_total", "outcome", outcome),
        isBad: failures > 0)
    }
    return [LoadRow.Cell(name: "accepted/s", value: accepted)] + outcomes
  }

  private var refusals: [LoadRow.Cell] {
    ["flood", "muted", "frozen", "banned", "not_in_channel", "rate"].map {
      LoadRow.Cell(name: "\($0)/s", value: rate("parley_refused_total", "reason", $0))
    }
  }

  private var deliveries: [LoadRow.Cell] {
    let slow = "parley_slow_consumers_closed_total"
    return [
      LoadRow.Cell(name: "deliveries/s", value: rate("parley_deliveries_total")),
      LoadRow.Cell(name: "withheld/s", value: rate("parley_withheld_total")),
      LoadRow.Cell(name: "slow closed", value: count(slow), isBad: load.rate(slow) > 0),
    ]
  }

  private var bytes: [LoadRow.Cell] {
    [
      LoadRow.Cell(name: "in/s", value: size(load.rate("parley_received_bytes_total"))),
      LoadRow.Cell(name: "out/s", value: size(load.rate("parley_sent_bytes_total"))),
      LoadRow.Cell(
        name: "held", value: size(load.now("parley_held_bytes")),
        isBad: isClose("parley_held_bytes", to: "parley_held_bytes_limit")),
    ]
  }

  private var latencies: [LoadRow.Cell] {
    [
      LoadRow.Cell(name: "ack p50", value: latency(0.5, acknowledgement)),
      LoadRow.Cell(
        name: "p99", value: latency(0.99, acknowledgement), isBad: isSlow(acknowledgement)),
      LoadRow.Cell(name: "commit p50", value: latency(0.5, commit)),
      LoadRow.Cell(name: "p99", value: latency(0.99, commit), isBad: isSlow(commit)),
    ]
  }

  private var previews: [LoadRow.Cell] {
    [
      LoadRow.Cell(name: "looked up/s", value: rate("parley_preview_lookups_total")),
      LoadRow.Cell(name: "fetched/s", value: rate("parley_preview_fetches_total")),
      LoadRow.Cell(name: "under way", value: count("parley_preview_fetches_in_flight")),
      LoadRow.Cell(name: "p99", value: latency(0.99, "parley_preview_fetch_seconds")),
    ]
  }

  private var process: [LoadRow.Cell] {
    let isFailing = load.after.sum("parley_store_healthy") == 0
    let queue = load.now("parley_store_write_queue")
    return [
      LoadRow.Cell(
        name: "cpu",
        value: "\(Self.fixed(load.rate("process_cpu_seconds_total") * 100, digits: 0)) %"),
      LoadRow.Cell(name: "memory", value: size(load.now("process_resident_memory_bytes"))),
      LoadRow.Cell(
        name: "descriptors", value: count("process_open_fds"),
        isBad: isClose("process_open_fds", to: "process_max_fds")),
      LoadRow.Cell(
        name: "store queue", value: Self.fixed(queue, digits: 0), isBad: queue > Self.longQueue),
      LoadRow.Cell(name: "storage", value: isFailing ? "FAILING" : "works", isBad: isFailing),
    ]
  }

  private func messageRate(_ outcome: String) -> Double {
    load.rate("parley_messages_total", where: "outcome", is: outcome)
  }

  private func isSlow(_ name: String) -> Bool {
    load.quantile(0.99, of: name).map { $0 > Self.slowSeconds } ?? false
  }

  private func isClose(_ name: String, to limit: String) -> Bool {
    guard let bound = load.after.sum(limit), bound > 0 else { return false }
    return load.now(name) > bound * Self.closePart
  }

  private var accepted: String { rate("parley_messages_total", "outcome", "accepted") }

  private func row(_ name: String, _ cells: [LoadRow.Cell]) -> LoadRow {
    LoadRow(name: name, cells: cells)
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
