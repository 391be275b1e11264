internal import ClientSockets
internal import ClientTransport
internal import Reactor

/// The connections of one loop, and their measurements.
///
/// Confined to its loop's thread.
final class LoadWorker: LaneMember {
  /// An action scheduled on the monotonic clock; numbers are connections of this worker.
  enum Due: Sendable, Hashable {
    case connect(Int)
    case send(Int)
    case slowRead(Int)
    case cut(Int)
  }

  enum Stage {
    /// Connections are opened; nothing is sent.
    case connecting
    case loading(LoadTimes)
    /// Nothing more is sent; the worker waits for outstanding deliveries.
    case draining(LoadTimes)
  }

  /// Below a server's backlog, so that no connection waits for a retransmitted SYN.
  static let attemptLimit = 64
  static let slowReadInterval: Int64 = 100_000_000
  private static let noteLimit = 5

  unowned let context: ClientLoopContext
  let target: LoadTarget
  let plan: LoadPlan
  let scanner: DeliveryScanner
  private(set) var connections: [LoadConnection] = []
  var stage = Stage.connecting
  var counters = LoadCounters()
  var latencies = Latencies()
  /// Deliveries since the last snapshot.
  var interval = LatencyHistogram()
  var epochs: [UInt32: String] = [:]
  var accepted: [(channel: UInt32, message: ConfirmedMessage)] = []
  private(set) var notes: [String] = []
  /// The name and version of the gateway, from its first response.
  var gateway = ""
  /// The time when the current bytes were read, in nanoseconds of the monotonic clock.
  private var readTime: Int64 = 0
  /// Connections that wait to connect.
  var waiting: ArraySlice<Int> = []
  var attempts = 0
  private var dues = DueQueue<Due>()
  private let timer: PrecisionTimer
  /// The indexes of the abusers, which are consecutive in the plan.
  private let abusers: Range<Int>
  private var registration: EventLoop.Registration?

  /// - Parameter places: The members of the plan for this worker.
  init(
    _ plan: LoadPlan, _ target: LoadTarget, places: [Int], context: ClientLoopContext
  ) throws(SystemError) {
    self.plan = plan
    self.target = target
    self.context = context
    scanner = DeliveryScanner(run: target.run)
    timer = try PrecisionTimer()
    let first = plan.members.firstIndex { $0.role == .abuser } ?? 0
    abusers = first..<(plan.members.lastIndex { $0.role == .abuser }.map { $0 + 1 } ?? first)
    connections = places.map { LoadConnection(plan.members[$0], at: $0, of: self) }
    registration = try context.loop.register(timer.descriptor, for: .readable, handler: self)
  }

  func abandon() {
    for connection in connections { connection.finish() }
    connections = []
    if let registration { context.loop.deregister(registration) }
    registration = nil
  }

  var now: Int64 { SystemClock.monotonicNanoseconds }

  func schedule(_ due: Due, at time: Int64) {
    let isFirst = dues.nextTime.map { time < $0 } ?? true
    dues.insert(due, at: time)
    if isFirst { timer.set(to: time) }
  }

  func removeDues() {
    dues.removeAll()
  }

  func note(_ text: String) {
    if notes.count < Self.noteLimit { notes.append(text) }
  }
}

extension LoadWorker: ReadinessHandler {
  func descriptorIsReady(for readiness: Readiness) {
    timer.acknowledge()
    let now = now
    while let (time, due) = dues.popDue(at: now) { perform(due, at: time) }
    if let next = dues.nextTime { timer.set(to: next) }
  }
}

/// Events of connections.
extension LoadWorker {
  func didRead() {
    readTime = now
  }

  /// Counts a delivery, and measures it if it is in the measured time.
  func count(_ stamp: MessageStamp, for connection: LoadConnection, isLive: Bool) {
    counters.deliveries += 1
    if !isLive { counters.recovered += 1 }
    guard let series = times?.series(of: stamp.intended) else { return }
    counters.measuredDeliveries += 1
    guard isLive, !connection.member.isSlow, !abusers.contains(Int(stamp.sender)) else { return }
    let latency = readTime - stamp.intended
    latencies.record(latency, in: series)
    interval.record(latency)
  }

  func accept(_ message: ConfirmedMessage, in channel: UInt32) {
    accepted.append((channel, message))
  }

  func recordAnswer(since intended: Int64) {
    guard times?.series(of: intended) != nil else { return }
    latencies.record(readTime - intended, in: .answer)
  }

  func record(since intended: Int64, in series: LatencySeries) {
    latencies.record(readTime - intended, in: series)
  }

  private var times: LoadTimes? {
    switch stage {
    case .connecting: nil
    case .loading(let times), .draining(let times): times
    }
  }

}
