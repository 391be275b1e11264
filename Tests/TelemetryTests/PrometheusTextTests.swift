import Testing

@testable import Telemetry

@Suite("Prometheus text")
struct PrometheusTextTests {
  @Test("metrics with one name have one header")
  func families() {
    let shard = CounterShard<TestCounter>()
    shard.add(7, to: .binaryFrames)
    let gauges = GaugeShard<TestGauge>()
    gauges.add(-1, to: .sessions)
    let counters = CounterShard.samples(summing: [shard])
    // The family's second member comes last here, and is put beside the first.
    let samples =
      [counters[0], counters[2]] + GaugeShard.samples(summing: [gauges]) + [counters[1]]
    #expect(
      PrometheusText.render(samples) == """
        # HELP test_frames_total Frames received.
        # TYPE test_frames_total counter
        test_frames_total{opcode="text"} 0
        test_frames_total{opcode="binary"} 7
        # HELP test_connections_total Connections accepted.
        # TYPE test_connections_total counter
        test_connections_total 0
        # HELP test_sessions Sessions open.
        # TYPE test_sessions gauge
        test_sessions -1

        """)
  }

  @Test("a histogram has cumulative buckets up to +Inf, a sum and a count")
  func histogram() {
    let bounds = HistogramBounds(nanoseconds: [50_000, 2_500_000, 1_000_000_000])
    let shard = HistogramShard<TestHistogram>(bounds: bounds)
    for nanoseconds: UInt64 in [50_000, 50_001, 400_000, 1_000_000_001] {
      shard.record(nanoseconds: nanoseconds, for: .commit)
    }
    let samples = HistogramShard.samples(summing: [shard], bounds: bounds)
    #expect(
      PrometheusText.render([samples[0]]) == """
        # HELP test_commit_seconds Time of a commit.
        # TYPE test_commit_seconds histogram
        test_commit_seconds_bucket{le="5e-05"} 1
        test_commit_seconds_bucket{le="0.0025"} 3
        test_commit_seconds_bucket{le="1"} 3
        test_commit_seconds_bucket{le="+Inf"} 4
        test_commit_seconds_sum 1.000500002
        test_commit_seconds_count 4

        """)
  }

  @Test("help and labels are escaped")
  func escapes() {
    let definition = MetricDefinition(
      "x", kind: .gauge, help: "a \\ and\na \"line\"",
      labels: [.init("l", "a\"b\\c\nd"), .init("m", "é")])
    #expect(
      PrometheusText.render([MetricSample(definition, .real(0.5))])
        == "# HELP x a \\\\ and\\na \"line\"\n# TYPE x gauge\n"
        + "x{l=\"a\\\"b\\\\c\\nd\",m=\"é\"} 0.5\n")
  }

  @Test(
    "numbers are written as the format requires",
    arguments: [
      (1.0, "1"), (-0.25, "-0.25"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
      (1e300, "1e+300"),
    ])
  func numbers(value: Double, text: String) {
    let definition = MetricDefinition("x", kind: .gauge, help: "h")
    #expect(
      PrometheusText.render([MetricSample(definition, .real(value))]).hasSuffix("\nx \(text)\n"))
  }

  @Test("no samples produce no output")
  func empty() {
    #expect(PrometheusText.render([]).isEmpty)
  }
}
