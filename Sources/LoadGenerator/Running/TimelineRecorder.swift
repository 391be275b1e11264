internal import Reactor

/// Makes points of a timeline out of what is looked at about once a second.
struct TimelineRecorder {
  private let start: Int64
  private let server: (any UsageSource)?
  private let own = ProcessFileUsage(process: 0)
  private var last: (time: Int64, counters: LoadCounters)
  private var lastServer: ProcessUsage?
  private var lastOwn: ProcessUsage?
  private(set) var points: [TimelinePoint] = []

  /// - Parameter start: When the load begins, in nanoseconds of the monotonic clock.
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
