import Telemetry

/// What is counted, each shard in its own shard.
struct GatewayMetrics: Sendable {
  let counters: [CounterShard<GatewayCounter>]
  let gauges: [GaugeShard<GatewayGauge>]
  let latencies: [HistogramShard<GatewayLatency>]

  /// - Parameter shards: One for each shard, and one more for the other threads' use.
  init(shards: Int) {
    counters = (0..<shards).map { _ in CounterShard() }
    gauges = (0..<shards).map { _ in GaugeShard() }
    latencies = (0..<shards).map { _ in HistogramShard() }
  }

  /// All of it, as Prometheus reads it.
  func render(with extra: [MetricSample]) -> String {
    PrometheusText.render(
      CounterShard.samples(summing: counters) + GaugeShard.samples(summing: gauges)
        + HistogramShard.samples(summing: latencies) + extra + ProcessMetrics.samples())
  }
}
