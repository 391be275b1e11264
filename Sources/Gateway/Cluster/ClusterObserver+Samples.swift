import Cluster
import Telemetry

extension ClusterObserver {
  /// The samples of the cluster.
  var samples: [MetricSample] {
    let (bus, counters) = (bus, counters)
    return serverSamples + [
      MetricSample(
        "parley_cluster_bus_up", .gauge, "1 while the bus carries messages.", bus.isUp ? 1 : 0),
      .seconds(
        "parley_cluster_echo_seconds",
        "Time since a beat of the server's own came back over the bus.", bus.echoAge),
      .count("parley_cluster_link_gaps_total", "Messages missed on the bus.", counters.linkGaps),
      .count(
        "parley_cluster_link_refills_total", "Gaps that the sender filled.", counters.linkRefills),
      .count(
        "parley_cluster_link_resets_total", "Links that began anew, with repair from the log.",
        counters.linkResets),
      dropped("forged", counters.forgedFrames), dropped("unreadable", counters.unreadableFrames),
      dropped("foreign", counters.foreignFrames),
      .count(
        "parley_cluster_channels_loaded_total",
        "Channels read from the database to be judged here.", counters.channelLoads),
      .count(
        "parley_cluster_fenced_writes_total",
        "Writes refused because another server had taken the channel over.",
        counters.fencedWrites),
      .count(
        "parley_cluster_unknown_outcomes_total",
        "Calls answered without knowing whether they were carried out.",
        counters.unknownOutcomes),
    ]
  }

  private var serverSamples: [MetricSample] {
    // A server that has left properly is not counted.
    let states = servers.filter { $0.end?.ending != .left }.map(\.state)
    return ClusterStatus.State.allCases.map { state in
      MetricSample(
        "parley_cluster_servers", .gauge, "Servers in the registry, by state.",
        states.count { $0 == state }, .init("state", state.rawValue))
    }
  }

  private func dropped(_ reason: String, _ count: UInt64) -> MetricSample {
    MetricSample(
      MetricDefinition(
        "parley_cluster_frames_dropped_total", kind: .counter,
        help: "Frames from the bus that were dropped, by reason.",
        labels: [.init("reason", reason)]), .count(count))
  }
}

extension MetricSample {
  fileprivate static func count(_ name: String, _ help: String, _ value: UInt64) -> MetricSample {
    MetricSample(MetricDefinition(name, kind: .counter, help: help), .count(value))
  }
}
