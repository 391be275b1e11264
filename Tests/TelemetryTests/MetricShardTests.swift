import Foundation
import TestSupport
import Testing

@testable import Telemetry

enum TestCounter: Int, MetricKey {
  case textFrames
  case binaryFrames
  case connections

  var definition: MetricDefinition {
    switch self {
    case .textFrames: frames("text")
    case .binaryFrames: frames("binary")
    case .connections:
      MetricDefinition("test_connections_total", kind: .counter, help: "Connections accepted.")
    }
  }

  private func frames(_ opcode: String) -> MetricDefinition {
    MetricDefinition(
      "test_frames_total", kind: .counter, help: "Frames received.",
      labels: [.init("opcode", opcode)])
  }
}

enum TestGauge: Int, MetricKey {
  case sessions

  var definition: MetricDefinition {
    MetricDefinition("test_sessions", kind: .gauge, help: "Sessions open.")
  }
}

enum TestHistogram: Int, MetricKey {
  case commit
  case delivery

  var definition: MetricDefinition {
    MetricDefinition("test_\(self)_seconds", kind: .histogram, help: "Time of a \(self).")
  }
}

@Suite("Shards of metrics")
struct MetricShardTests {
  @Test("counters of all shards are summed")
  func counters() {
    let shards = [CounterShard<TestCounter>(), CounterShard<TestCounter>()]
    shards[0].add(to: .textFrames)
    shards[1].add(2, to: .textFrames)
    shards[1].add(5, to: .connections)
    let samples = CounterShard.samples(summing: shards)
    #expect(samples.map(\.value) == [.count(3), .count(0), .count(5)])
    #expect(samples.map(\.definition) == TestCounter.allCases.map(\.definition))
  }

  @Test("a gauge may increase on one thread and decrease on another")
  func gauges() {
    let shards = [GaugeShard<TestGauge>(), GaugeShard<TestGauge>()]
    shards[0].add(3, to: .sessions)
    shards[1].add(-2, to: .sessions)
    #expect(shards[1].value(of: .sessions) == -2)
    #expect(GaugeShard.samples(summing: shards).map(\.value) == [.level(1)])
  }

  @Test("without shards every metric is zero")
  func none() {
    #expect(
      CounterShard<TestCounter>.samples(summing: []).map(\.value).allSatisfy { $0 == .count(0) })
    #expect(GaugeShard<TestGauge>.samples(summing: []).map(\.value) == [.level(0)])
    #expect(HistogramShard<TestHistogram>.samples(summing: []).count == 2)
  }

  @Test("a duration falls into the first bucket whose bound is not below it")
  func buckets() {
    let bounds = HistogramBounds(nanoseconds: [30, 10, 20, 10])
    #expect(bounds.nanoseconds == [10, 20, 30])
    #expect(
      [0, 9, 10, 11, 20, 21, 30, 31, .max].map(bounds.bucket) == [0, 0, 0, 1, 1, 2, 2, 3, 3])
  }

  @Test("histograms keep keys apart and sum over shards")
  func histograms() {
    let bounds = HistogramBounds(nanoseconds: [10, 20])
    let shards = (0..<2).map { _ in HistogramShard<TestHistogram>(bounds: bounds) }
    shards[0].record(nanoseconds: 5, for: .commit)
    shards[1].record(nanoseconds: 15, for: .commit)
    shards[1].record(nanoseconds: 100, for: .commit)
    shards[1].record(nanoseconds: 20, for: .delivery)
    let samples = HistogramShard.samples(summing: shards, bounds: bounds)
    #expect(
      samples.map(\.value) == [
        .histogram(HistogramSnapshot(bounds: bounds, counts: [1, 1, 1], sumNanoseconds: 120)),
        .histogram(HistogramSnapshot(bounds: bounds, counts: [0, 1, 0], sumNanoseconds: 20)),
      ])
  }

  @Test("the cells of a shard share no cache line with another's")
  func alignment() {
    let cells = (0..<20).map { AtomicCells(count: $0) }
    #expect(cells.allSatisfy { Int(bitPattern: UnsafeRawPointer($0.cells)) % 128 == 0 })
  }

  @Test("a shard per thread loses nothing, and readers never see it decrease")
  func threads() throws {
    let shards = (0..<4).map { _ in CounterShard<TestCounter>() }
    let gauges = (0..<4).map { _ in GaugeShard<TestGauge>() }
    let rounds = 20_000
    let finished = DispatchSemaphore(value: 0)
    for index in shards.indices {
      let thread = Thread {
        for _ in 0..<rounds {
          shards[index].add(to: .textFrames)
          gauges[index].add(index % 2 == 0 ? 1 : -1, to: .sessions)
        }
        finished.signal()
      }
      thread.start()
    }
    var last: UInt64 = 0
    var isMonotonic = true
    for _ in 0..<1000 {
      let sum = shards.reduce(0) { $0 + $1.value(of: .textFrames) }
      isMonotonic = isMonotonic && sum >= last
      last = sum
    }
    for _ in shards { try Deadline.standard.wait(for: "a thread", on: finished) }
    #expect(isMonotonic)
    #expect(CounterShard.samples(summing: shards)[0].value == .count(UInt64(4 * rounds)))
    #expect(GaugeShard.samples(summing: gauges)[0].value == .level(0))
  }
}
