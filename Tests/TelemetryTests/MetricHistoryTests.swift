import Testing

@testable import Telemetry

@Suite("Values of metrics over a time")
struct MetricHistoryTests {
  private func sample(
    _ name: String, _ kind: MetricDefinition.Kind, _ value: Int64, label: String? = nil
  ) -> MetricSample {
    MetricSample(
      MetricDefinition(
        name, kind: kind, help: "", labels: label.map { [.init("of", $0)] } ?? []),
      .level(value))
  }

  private func durations(_ milliseconds: [UInt64]) -> MetricSample {
    let shard = HistogramShard<Latency>()
    for duration in milliseconds { shard.record(nanoseconds: duration * 1_000_000, for: .wait) }
    return MetricSample(Latency.wait.definition, .histogram(shard.snapshot(of: .wait)))
  }

  @Test("gauges keep their values, counters what they grew by; labels are summed")
  func values() {
    var history = MetricHistory(of: ["sent_total", "open"], limit: 10)
    for (time, sent, open) in [(1, 10, 3), (2, 25, 4), (3, 25, 0)] as [(Int64, Int64, Int64)] {
      history.record(
        [
          sample("sent_total", .counter, sent, label: "a"),
          sample("sent_total", .counter, 2 * sent, label: "b"),
          sample("open", .gauge, open), sample("other", .gauge, 1),
        ], at: time)
    }
    #expect(history.times == [1, 2, 3])
    #expect(history.keptNames == ["sent_total", "open"])
    #expect(
      history.series(of: ["open", "sent_total", "other"], from: 0) == [
        .init(name: "open", kind: .gauge, values: [3, 4, 0]),
        .init(name: "sent_total", kind: .counter, values: [0, 45, 0]),
      ])
    #expect(history.series(of: ["open"], from: 2).first?.values == [0])
    #expect(history.series(of: ["open"], from: 3).first?.values == [])
  }

  @Test("of durations the bound of those since the last record is kept")
  func quantiles() {
    var history = MetricHistory(of: ["wait_seconds"], limit: 10)
    history.record([durations([])], at: 1)
    history.record([durations([4, 4])], at: 2)
    history.record([durations([4, 4])], at: 3)
    history.record([durations([4, 4, 900])], at: 4)
    let series = history.series(of: ["wait_seconds"], from: 0).first
    #expect(series?.kind == .histogram)
    let values = series?.values.map { $0.map { ($0 * 1_000).rounded() } }
    #expect(values == [nil, 5, nil, 1_000])
  }

  @Test("the oldest are dropped, and metrics may come later and be missing")
  func bounds() {
    var history = MetricHistory(of: ["early", "late"], limit: 3)
    for time in 1...5 as ClosedRange<Int64> {
      var samples: [MetricSample] = []
      if time != 4 { samples.append(sample("early", .gauge, time)) }
      if time >= 4 { samples.append(sample("late", .gauge, 10 * time)) }
      history.record(samples, at: time)
    }
    #expect(history.times == [3, 4, 5])
    #expect(
      history.series(of: ["early", "late"], from: 0).map(\.values) == [
        [3, nil, 5], [nil, 40, 50],
      ])
  }

  @Test("a counter that begins again has grown by what it shows")
  func restart() {
    var history = MetricHistory(of: ["a_total"], limit: 3)
    for (time, count) in [(1, 100), (2, 7)] as [(Int64, Int64)] {
      history.record([sample("a_total", .counter, count)], at: time)
    }
    #expect(history.series(of: ["a_total"], from: 0).first?.values == [0, 7])
  }
}

private enum Latency: Int, MetricKey {
  case wait

  var definition: MetricDefinition {
    MetricDefinition("wait_seconds", kind: .histogram, help: "")
  }
}
