internal import Reactor

/// The state of a run, reported once a second.
package struct LoadProgress: Sendable {
  package enum Phase: Sendable, Hashable {
    case connecting
    case warmUp
    case measuring
    case draining
  }

  package let phase: Phase
  /// Seconds of the load, elapsed and in total; 0 before it starts.
  package let seconds: Double
  package let totalSeconds: Double
  package let members: Int
  package let counters: LoadCounters
  /// The latest interval; `nil` before the load starts.
  package let point: TimelinePoint?
}

/// The reason why a run did not start or did not finish.
package enum LoadFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The limit on this process's descriptors is too low.
  case tooFewDescriptors(needed: Int, limit: Int)
  case systemFailed(String)
  /// Connections failed, with the first reasons.
  case notConnected(missing: Int, reasons: [String])

  package var description: String {
    switch self {
    case .tooFewDescriptors(let needed, let limit):
      "\(needed) descriptors are needed, and the limit of a process is \(limit): raise the limit "
        + "(ulimit -n) or use fewer connections"
    case .systemFailed(let reason): reason
    case .notConnected(let missing, let reasons):
      "\(missing) \(missing == 1 ? "connection" : "connections") could not be made"
        + (reasons.isEmpty ? " in time" : ": \(reasons.joined(separator: "; "))")
    }
  }
}

/// The start and end times of the parts of a run, in nanoseconds of the monotonic clock.
struct LoadTimes: Sendable, Hashable {
  /// The time at which senders start.
  let start: Int64
  /// The measured time.
  let measureFrom: Int64
  let end: Int64
  /// The time from which messages count as sent during the disturbance.
  let disturbance: Int64?

  init(start: Int64, plan: LoadPlan) {
    self.start = start
    measureFrom = start + plan.warmUp
    end = measureFrom + plan.duration
    disturbance = plan.disturbanceTime.map { start + plan.warmUp + $0 }
  }

  /// Returns the series of a delivery; `nil` outside of the measured time.
  func series(of intended: Int64) -> LatencySeries? {
    guard intended >= measureFrom, intended < end else { return nil }
    guard let disturbance, intended < disturbance else { return .delivery }
    return .baseline
  }
}

/// Creates points of a timeline from samples taken about once a second.
struct TimelineRecorder {
  private let start: Int64
  private let server: (any UsageSource)?
  private let own = ProcessFileUsage(process: 0)
  private var last: (time: Int64, counters: LoadCounters)
  private var lastServer: ProcessUsage?
  private var lastOwn: ProcessUsage?
  private(set) var points: [TimelinePoint] = []

  /// - Parameter start: The start of the load, in nanoseconds of the monotonic clock.
  init(start: Int64, server: (any UsageSource)?, counters: LoadCounters) {
    self.start = start
    self.server = server
    last = (SystemClock.monotonicNanoseconds, counters)
    lastServer = server?.read()
    lastOwn = own.read()
  }

  mutating func add(_ counters: LoadCounters, _ interval: LatencyHistogram) -> TimelinePoint {
    let now = SystemClock.monotonicNanoseconds
    let seconds = max(Double(now - last.time) / 1e9, 0.001)
    var point = TimelinePoint(seconds: Double(now - start) / 1e9)
    point.sentPerSecond = Double(counters.sent - last.counters.sent) / seconds
    point.deliveriesPerSecond = Double(counters.deliveries - last.counters.deliveries) / seconds
    point.bytesPerSecond = Double(counters.receivedBytes - last.counters.receivedBytes) / seconds
    point.median = interval.quantile(0.5)
    point.p99 = interval.quantile(0.99)
    point.longest = interval.quantile(1)
    point.connections = counters.ready
    addUsage(to: &point, over: seconds)
    last = (now, counters)
    points.append(point)
    return point
  }

  private mutating func addUsage(to point: inout TimelinePoint, over seconds: Double) {
    let (server, own) = (server?.read(), own.read())
    point.serverMemory = server?.memory
    point.serverCPU = Self.share(lastServer, server, over: seconds)
    point.generatorCPU = Self.share(lastOwn, own, over: seconds)
    (lastServer, lastOwn) = (server, own)
  }

  private static func share(
    _ before: ProcessUsage?, _ after: ProcessUsage?, over seconds: Double
  ) -> Double? {
    guard let before, let after else { return nil }
    return Double(after.cpu - before.cpu) / 1e9 / seconds
  }
}

/// The audit of the traces of all workers.
struct RunAudit {
  private var audit: DeliveryAudit
  private let traces: [SubscriptionTrace]

  init(_ plan: LoadPlan, _ results: [WorkerResult]) {
    audit = DeliveryAudit(limit: plan.throttle)
    for result in results {
      for (channel, message) in result.accepted { audit.accept(message, in: channel) }
      for (channel, count) in result.unanswered { audit.addUnanswered(count, in: channel) }
    }
    audit.sort()
    traces = results.flatMap(\.traces)
  }

  func verdict() -> AuditVerdict {
    var audit = audit
    var verdict = AuditVerdict()
    for trace in traces { verdict += audit.judge(trace) }
    return verdict
  }
}
