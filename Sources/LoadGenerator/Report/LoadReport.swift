/// The results of a run.
package struct LoadReport: Sendable {
  /// The way in which the run ended.
  package enum Ending: Sendable, Hashable {
    case complete
    /// The run was interrupted; the figures cover the time until then.
    case interrupted
  }

  package var scenario: String
  /// The options of the run, in display order.
  package var settings: [(name: String, value: String)] = []
  package var origin = RunOrigin()
  /// The marks that explain the timeline, in order.
  package var marks: [ReportMark] = []
  /// The length of the warm-up, at the start of the timeline.
  package var warmUpSeconds: Double = 0
  package var ending = Ending.complete
  /// The length of the measured time in seconds.
  package var measuredSeconds: Double = 0
  package var connections = 0
  package var counters = LoadCounters()
  /// Sends without a response.
  package var unanswered = 0
  package var latencies = Latencies()
  /// The main series of the scenario; objectives without a series refer to it.
  package var mainSeries = LatencySeries.delivery
  package var timeline: [TimelinePoint] = []
  package var usage = UsageFigures()
  package var verdict = AuditVerdict()
  package var outcomes: [ObjectiveOutcome] = []
  /// Notes for the reader, such as the first errors.
  package var notes: [String] = []

  /// Errors of all kinds.
  package var errorCount: Int { counters.errors + unanswered }

  /// Whether every connection was lost and none reconnected, so that the deliveries prove little.
  package var isDeserted: Bool { connections > 0 && counters.ready == 0 }

  /// Whether all objectives were met, all deliveries were correct, and receivers were left.
  package var isGood: Bool { verdict.isClean && outcomes.allSatisfy(\.isMet) && !isDeserted }

  /// Deliveries per second in the measured time.
  package var throughput: Double {
    measuredSeconds > 0 ? Double(counters.measuredDeliveries) / measuredSeconds : 0
  }

  /// The server's CPU time per delivery, in nanoseconds.
  package var cpuPerDelivery: Double? { perDelivery(usage.serverCPU) }

  /// This program's CPU time per delivery, in nanoseconds.
  package var generatorCPUPerDelivery: Double? { perDelivery(usage.generatorCPU) }

  /// The server's memory per idle connection, in bytes.
  package var memoryPerConnection: Double? {
    perConnection(usage.memoryBefore, usage.memoryConnected)
  }

  /// This program's memory per idle connection, in bytes.
  package var generatorMemoryPerConnection: Double? {
    perConnection(usage.generatorMemoryBefore, usage.generatorMemoryConnected)
  }

  /// Returns a figure in the unit of its dimension; `nil` if it was not measured.
  package func value(of metric: Metric) -> Double? {
    switch metric {
    case .quantile(let series, let part):
      latencies[series ?? mainSeries].quantile(part).map(Double.init)
    case .throughput: throughput
    case .lost: Double(verdict.lost)
    case .doubled: Double(verdict.doubled)
    case .disordered: Double(verdict.disordered)
    case .uncalledFor: Double(verdict.uncalledFor + verdict.mistaken)
    case .errors: Double(errorCount)
    case .cpuPerDelivery: cpuPerDelivery
    case .memoryPerConnection: memoryPerConnection
    case .memoryGrowth: difference(usage.memoryAtStart, usage.memoryAtEnd)
    case .shift: shift
    }
  }

  /// Checks the objectives against the figures.
  package mutating func judge(_ objectives: [Objective]) {
    outcomes = objectives.map { ObjectiveOutcome($0, value: value(of: $0.metric)) }
  }

  private var shift: Double? {
    guard let before = latencies[.baseline].quantile(0.99), before > 0,
      let during = latencies[.delivery].quantile(0.99)
    else { return nil }
    return Double(during) / Double(before)
  }

  private func perDelivery(_ cpu: Int64?) -> Double? {
    guard let cpu, counters.measuredDeliveries > 0 else { return nil }
    return Double(cpu) / Double(counters.measuredDeliveries)
  }

  private func perConnection(_ before: Int64?, _ after: Int64?) -> Double? {
    guard usage.idleConnections > 0 else { return nil }
    return difference(before, after).map { $0 / Double(usage.idleConnections) }
  }

  private func difference(_ before: Int64?, _ after: Int64?) -> Double? {
    guard let before, let after else { return nil }
    return Double(after) - Double(before)
  }
}
