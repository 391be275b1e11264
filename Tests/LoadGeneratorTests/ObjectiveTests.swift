import Testing

@testable import LoadGenerator

@Suite("Objectives")
struct ObjectiveTests {
  @Test(
    "an objective consists of a metric, a relation and a bound with its unit",
    arguments: [
      ("p99<50ms", Metric.quantile(nil, 0.99), Objective.Relation.below, 50e6),
      ("p99.9 <= 1.5s", .quantile(nil, 0.999), .atMost, 1.5e9),
      ("connect.max<2s", .quantile(.connect, 1), .below, 2e9),
      ("throughput>=10000/s", .throughput, .atLeast, 10_000),
      ("throughput>10", .throughput, .above, 10),
      ("lost=0", .lost, .equal, 0), ("errors<=3", .errors, .atMost, 3),
      ("cpu_per_delivery<2us", .cpuPerDelivery, .below, 2000),
      ("memory_per_connection<20KiB", .memoryPerConnection, .below, 20_480),
      ("shift<1.5", .shift, .below, 1.5),
    ])
  func parsed(text: String, metric: Metric, relation: Objective.Relation, bound: Double) throws {
    let objective = try Objective(text)
    #expect(objective.metric == metric)
    #expect(objective.relation == relation)
    #expect(objective.bound == bound)
  }

  @Test(
    "an invalid objective is refused with the reason",
    arguments: [
      ("p99", "has no comparison"), ("", "has no comparison"), ("p98<1ms", "'p98'"),
      ("speed>1", "not a figure"), ("p99<50", "units"), ("p99<fast", "not a number"),
      ("lost<1ms", "no unit"), ("memory_growth<1ms", "units B"), ("p99<1e999s", "units"),
      ("connect.lost=0", "not a figure"), (String(repeating: "p", count: 200), "too long"),
    ])
  func refused(text: String, reason: String) {
    #expect {
      _ = try Objective(text)
    } throws: { error in
      "\(error)".contains(reason)
    }
  }

  @Test("an objective without a measurement is not met")
  func missed() throws {
    let objective = try Objective("p99<50ms")
    #expect(!ObjectiveOutcome(objective, value: nil).isMet)
    #expect(ObjectiveOutcome(objective, value: 49e6).isMet)
    #expect(!ObjectiveOutcome(objective, value: 50e6).isMet)
  }
}
