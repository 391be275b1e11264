internal import Glibc
internal import Reactor

/// Runs a plan, from the first connection to the report.
///
/// The workers run on their own threads; the caller's thread only monitors them.
package final class LoadRun {
  /// The participant count of a channel is sent within a second after the last entering: it must
  /// not be measured.
  private static let rest: Int64 = 1_200_000_000
  /// The time limit for connecting without progress.
  private static let connectPatience: Int64 = 20_000_000_000
  /// The time limit of outstanding deliveries after the last send.
  private static let drainPatience: Int64 = 15_000_000_000

  let plan: LoadPlan
  private let target: LoadTarget
  let server: (any UsageSource)?
  private let observe: (LoadProgress) -> Void
  private let isInterrupted: @Sendable () -> Bool
  private var workers: [WorkerThread] = []
  var report: LoadReport
  private let own = ProcessFileUsage(process: 0)

  /// - Parameters:
  ///   - server: The source of the server's usage; `nil` omits those figures.
  ///   - isInterrupted: Polled frequently; once true, the run ends with a report of the time until then.
  ///   - observe: Receives the state of the run about once a second.
  package init(
    _ plan: LoadPlan, _ target: LoadTarget, server: (any UsageSource)?,
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    observe: @escaping (LoadProgress) -> Void = { _ in }
  ) {
    self.plan = plan
    self.target = target
    self.server = server
    self.isInterrupted = isInterrupted
    self.observe = observe
    report = LoadReport(scenario: plan.scenario)
    report.settings = plan.settings
    report.mainSeries = plan.mainSeries
    report.connections = plan.members.count
    report.marks = plan.marks
    report.warmUpSeconds = Double(plan.warmUp) / 1e9
    report.origin.startedAt = SystemClock.unixMilliseconds
    report.origin.machine = .current()
  }

  /// Runs the plan.
  ///
  /// - Parameter threads: The number of loops to divide the connections among, at least 1.
  package func run(threads: Int) throws(LoadFailure) -> LoadReport {
    try claimDescriptors()
    try start(threads: max(1, min(threads, plan.members.count)))
    report.usage.memoryBefore = server?.read()?.memory
    report.usage.generatorMemoryBefore = own.read()?.memory
    try connectAll()
    pause(Self.rest)
    measureIdleMemory()
    load()
    conclude()
    return report
  }

  private func claimDescriptors() throws(LoadFailure) {
    let limit = DescriptorLimit.raise()
    let needed = plan.members.count + 64
    guard needed <= limit else { throw .tooFewDescriptors(needed: needed, limit: limit) }
  }

  private func start(threads: Int) throws(LoadFailure) {
    // The cost of abusers in this program must not be measured as their effect on others.
    let abusers = plan.members.indices.filter { plan.members[$0].role == .abuser }
    let others = plan.members.indices.filter { plan.members[$0].role != .abuser }
    let shares = (0..<threads).map { thread in
      stride(from: thread, to: others.count, by: threads).map { others[$0] }
    }
    for places in shares + [abusers] where !places.isEmpty {
      workers.append(try WorkerThread(plan, target, places: places))
    }
  }

  private func connectAll() throws(LoadFailure) {
    let plan = plan
    // Channels are created before other users enter them.
    for isCreator in [true, false] {
      for worker in workers {
        worker.post { worker in worker.connect { !plan.members[$0].creates.isEmpty == isCreator } }
      }
      try awaitConnections()
    }
  }

  private func awaitConnections() throws(LoadFailure) {
    var (last, lastChange) = (-1, SystemClock.monotonicNanoseconds)
    var nextLook = lastChange
    while true {
      let standing = standing()
      let now = SystemClock.monotonicNanoseconds
      if standing.connecting == 0 { break }
      if standing.counters.connected != last {
        (last, lastChange) = (standing.counters.connected, now)
      }
      guard now - lastChange < Self.connectPatience, !isInterrupted() else {
        throw .notConnected(missing: standing.connecting, reasons: notes())
      }
      if now >= nextLook {
        report(.connecting, standing.counters, nil, seconds: 0)
        nextLook = now + 1_000_000_000
      }
      usleep(20_000)
    }
    let failures = standing().counters.connectFailures
    guard failures == 0 else { throw .notConnected(missing: failures, reasons: notes()) }
  }

  private func measureIdleMemory() {
    report.usage.idleConnections = standing().counters.ready
    report.usage.memoryConnected = server?.read()?.memory
    report.usage.generatorMemoryConnected = own.read()?.memory
  }

  private func load() {
    let before = standing()
    let times = LoadTimes(start: SystemClock.monotonicNanoseconds + 100_000_000, plan: plan)
    var recorder = TimelineRecorder(start: times.start, server: server, counters: before.counters)
    for worker in workers { worker.post { $0.begin(times) } }
    pause(until: times.start)
    var next = times.start + 1_000_000_000
    var atStart: (server: ProcessUsage?, own: ProcessUsage?)?
    while SystemClock.monotonicNanoseconds < times.end, !isInterrupted() {
      if atStart == nil, SystemClock.monotonicNanoseconds >= times.measureFrom {
        atStart = (server?.read(), own.read())
      }
      let bounds = [next, times.end] + (atStart == nil ? [times.measureFrom] : [])
      pause(until: bounds.min() ?? next)
      guard SystemClock.monotonicNanoseconds >= next else { continue }
      next += 1_000_000_000
      let standing = standing()
      let point = recorder.add(standing.counters, standing.interval)
      report(
        point.seconds < Double(plan.warmUp) / 1e9 ? .warmUp : .measuring, standing.counters, point,
        seconds: point.seconds)
    }
    finishLoad(times, atStart, recorder)
  }

  private func finishLoad(
    _ times: LoadTimes, _ atStart: (server: ProcessUsage?, own: ProcessUsage?)?,
    _ recorder: TimelineRecorder
  ) {
    let end = min(SystemClock.monotonicNanoseconds, times.end)
    if isInterrupted() { report.ending = .interrupted }
    report.measuredSeconds = Double(max(0, end - times.measureFrom)) / 1e9
    if let before = atStart?.server, let after = server?.read() {
      report.usage.serverCPU = after.cpu - before.cpu
      report.usage.memoryAtStart = before.memory
      report.usage.memoryAtEnd = after.memory
    }
    if let before = atStart?.own, let after = own.read() {
      report.usage.generatorCPU = after.cpu - before.cpu
    }
    report.timeline = recorder.points
    // Connections that arrive during the load are complete only now.
    if case .during = plan.arrival { measureIdleMemory() }
  }

  /// Waits for outstanding deliveries, checks the received ones, and closes the connections.
  private func conclude() {
    for worker in workers { worker.post { $0.drain() } }
    let deadline = SystemClock.monotonicNanoseconds + Self.drainPatience
    var results: [WorkerResult] = []
    var last = -1
    repeat {
      // An interruption does not shorten this: outstanding deliveries must arrive in any case.
      usleep(200_000)
      let standing = standing()
      report(.draining, standing.counters, nil, seconds: 0)
      let isQuiet = standing.counters.deliveries == last
      last = standing.counters.deliveries
      guard isQuiet, standing.pending == 0, standing.connecting == 0 else { continue }
      results = workers.compactMap { $0.ask { $0.result() } }
      report.verdict = RunAudit(plan, results).verdict()
      if report.verdict.lost == 0 { break }
    } while SystemClock.monotonicNanoseconds < deadline
    if results.isEmpty || report.verdict.lost > 0 {
      results = workers.compactMap { $0.ask { $0.result() } }
      report.verdict = RunAudit(plan, results).verdict()
    }
    for result in results { add(result) }
    for worker in workers { _ = worker.ask { $0.abandon() } }
    workers = []
  }

  private func add(_ result: WorkerResult) {
    report.counters += result.counters
    report.latencies.merge(result.latencies)
    report.unanswered += result.unanswered.values.reduce(0, +)
    report.notes += result.notes.prefix(max(0, 5 - report.notes.count))
    if report.origin.gateway.isEmpty { report.origin.gateway = result.gateway }
  }

  private func standing() -> (
    counters: LoadCounters, interval: LatencyHistogram, pending: Int, connecting: Int
  ) {
    var sum = (
      counters: LoadCounters(), interval: LatencyHistogram(), pending: 0, connecting: 0
    )
    for snapshot in workers.compactMap({ $0.ask { $0.takeSnapshot() } }) {
      sum.counters += snapshot.counters
      sum.interval.merge(snapshot.interval)
      sum.pending += snapshot.pending
      sum.connecting += snapshot.connecting
    }
    return sum
  }

  private func notes() -> [String] {
    Array(workers.compactMap { $0.ask { $0.result().notes } }.joined().prefix(3))
  }

  private func report(
    _ phase: LoadProgress.Phase, _ counters: LoadCounters, _ point: TimelinePoint?, seconds: Double
  ) {
    observe(
      LoadProgress(
        phase: phase, seconds: seconds, totalSeconds: Double(plan.warmUp + plan.duration) / 1e9,
        members: plan.members.count, counters: counters, point: point))
  }

  private func pause(_ nanoseconds: Int64) {
    pause(until: SystemClock.monotonicNanoseconds + nanoseconds)
  }

  /// Waits in short steps, so that an interruption is noticed.
  private func pause(until time: Int64) {
    while !isInterrupted() {
      let rest = time - SystemClock.monotonicNanoseconds
      guard rest > 0 else { return }
      usleep(UInt32(clamping: min(rest, 50_000_000) / 1000 + 1))
    }
  }
}
