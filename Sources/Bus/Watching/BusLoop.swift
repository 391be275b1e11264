internal import Basics
internal import Reactor
internal import Streams

/// The resources shared by the connections of a bus: the event loop, buffers, and a mailbox for
/// other threads.
///
/// Confined to the loop's thread.
final class BusLoop: ReadinessHandler {
  typealias Job = @Sendable () -> Void

  let loop: EventLoop
  let resources = StreamResources()
  /// Jobs posted by other threads.
  let jobs: Mailbox<Job>
  private var registration: EventLoop.Registration?

  init(_ loop: EventLoop) throws(SystemError) {
    self.loop = loop
    jobs = try Mailbox()
    registration = try loop.register(jobs.descriptor, for: .readable, handler: self)
  }

  func descriptorIsReady(for readiness: Readiness) {
    jobs.acknowledge()
    for job in jobs.takeAll(reusing: []) { job() }
  }

  /// Stops accepting jobs.
  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }
}

/// A timer of an event loop that is set repeatedly.
struct SingleTimer {
  private let loop: EventLoop
  private var token: EventLoop.TimerToken?

  init(on loop: EventLoop) { self.loop = loop }

  /// Schedules a call of a handler after a number of milliseconds, replacing any earlier schedule.
  mutating func set(after milliseconds: Int64, _ handler: some TimerHandler) {
    cancel()
    token = loop.schedule(after: milliseconds, handler)
  }

  mutating func cancel() {
    if let token { loop.cancel(token) }
    token = nil
  }

  /// Clears the timer that has fired.
  mutating func didFire() { token = nil }
}

/// The delays between attempts to reach one server.
struct Attempts {
  private static let backoff = Backoff(first: 50, limit: 1000, jitter: .equal)

  /// The timeout of an attempt, in milliseconds.
  static let timeLimit: Int64 = 3000

  private var failures = 0

  /// Returns the milliseconds until the next attempt.
  mutating func didFail() -> Int64 {
    failures += 1
    return Self.backoff.wait(after: failures, random: .random(in: 0 ... .max))
  }

  mutating func didSucceed() { failures = 0 }
}
