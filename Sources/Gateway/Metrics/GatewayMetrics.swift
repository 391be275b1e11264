import Configuration
import Telemetry

/// The metrics of the gateway; each event loop has its own part of each.
struct GatewayMetrics: Sendable {
  let counters: [CounterShard<GatewayCounter>]
  let gauges: [GaugeShard<GatewayGauge>]
  let latencies: [HistogramShard<GatewayLatency>]

  /// - Parameter shards: One for each shard, and one shared by all other threads.
  init(shards: Int) {
    counters = (0..<shards).map { _ in CounterShard() }
    gauges = (0..<shards).map { _ in GaugeShard() }
    latencies = (0..<shards).map { _ in HistogramShard() }
  }

  /// All metrics in the Prometheus text format.
  func render(with extra: [MetricSample]) -> String { PrometheusText.render(samples(with: extra)) }

  /// All metrics in the Prometheus text format, with additional samples.
  func samples(with extra: [MetricSample]) -> [MetricSample] {
    CounterShard.samples(summing: counters) + GaugeShard.samples(summing: gauges)
      + HistogramShard.samples(summing: latencies) + extra
      + ProcessMetrics.samples(version: Release.version)
  }
}

/// The gauges: metrics that go up and down.
enum GatewayGauge: Int, MetricKey {
  case connections
  case queuedConnections
  case webSockets
  case sessions
  case channels
  case participants
  case subscriptions
  case groups
  case groupMembers
  case groupStages
  case totalsWatchers
  case streams

  var definition: MetricDefinition {
    switch self {
    case .connections:
      MetricDefinition("parley_connections", kind: .gauge, help: "Connections open.")
    case .queuedConnections:
      MetricDefinition(
        "parley_connections_queued", kind: .gauge,
        help: "Connections with something that waits to be written.")
    case .webSockets:
      MetricDefinition(
        "parley_websockets", kind: .gauge, help: "WebSockets open, with a session or without.")
    case .sessions:
      MetricDefinition("parley_sessions", kind: .gauge, help: "Sessions open.")
    case .channels:
      MetricDefinition("parley_channels", kind: .gauge, help: "Channels in memory.")
    case .participants:
      MetricDefinition("parley_participants", kind: .gauge, help: "Users in channels.")
    case .subscriptions:
      MetricDefinition(
        "parley_subscriptions", kind: .gauge, help: "Connections in channels.")
    case .groups: .groups("loaded")
    case .groupMembers:
      MetricDefinition(
        "parley_group_members", kind: .gauge, help: "Members of the groups in memory.")
    case .groupStages:
      MetricDefinition(
        "parley_group_stages", kind: .gauge, help: "Groups with connected members on this server.")
    case .totalsWatchers:
      MetricDefinition(
        "parley_group_totals_watchers", kind: .gauge,
        help: "Connections that receive group.totals.")
    case .streams:
      MetricDefinition(
        "parley_streams", kind: .gauge,
        help: "Event streams open, and closed ones whose last events are kept.")
    }
  }
}

/// The histograms of durations.
enum GatewayLatency: Int, MetricKey {
  case acknowledgement
  case commit
  case preview
  case fetch
  case thumbnail
  case translation
  case sendWait
  case groupReady
  case hook

  var definition: MetricDefinition {
    switch self {
    case .acknowledgement:
      MetricDefinition(
        "parley_message_acknowledgement_seconds", kind: .histogram,
        help: "From a message's arrival at its channel's server to its durable answer.")
    case .commit:
      MetricDefinition(
        "parley_store_commit_seconds", kind: .histogram, help: "One commit with its fsync.")
    case .preview:
      MetricDefinition(
        "parley_preview_seconds", kind: .histogram,
        help: "From a message with an unknown link to its preview or none.")
    case .fetch:
      MetricDefinition(
        "parley_preview_fetch_seconds", kind: .histogram,
        help: "Looking one link up, waiting for its turn included.")
    case .thumbnail:
      MetricDefinition(
        "parley_thumbnail_seconds", kind: .histogram,
        help: "Making the thumbnails of one file, waiting for its turn included.")
    case .translation:
      MetricDefinition(
        "parley_translation_seconds", kind: .histogram,
        help: "One request to the translation service, waiting for its turn left out.")
    case .sendWait:
      MetricDefinition(
        "parley_send_wait_seconds", kind: .histogram,
        help: "From a message's acceptance to its way to the store, of those that waited.")
    case .groupReady:
      MetricDefinition(
        "parley_group_ready_seconds", kind: .histogram,
        help: "From reading the groups of a session to its group.ready.")
    case .hook:
      MetricDefinition(
        "parley_hook_seconds", kind: .histogram,
        help: "Asking the app's back end, waiting for its turn included.")
    }
  }
}

extension MetricDefinition {
  /// The number of groups in a state.
  static func groups(_ state: String) -> MetricDefinition {
    MetricDefinition(
      "parley_groups", kind: .gauge,
      help: "Groups in memory, and groups in the store at the last count.",
      labels: [Label("state", state)])
  }
}
