internal import Basics
internal import Reactor
internal import Streams

/// The resources that the connections of a bus share: the event loop, buffers, and a way back from
/// other threads.
///
/// Confined to the loop's thread.
final class BusLoop: ReadinessHandler {
  typealias Job = @Sendable () -> Void

  let loop: EventLoop
  let resources = StreamResources()
  /// The jobs of other threads for this one.
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

  /// Stops taking jobs.
  func close() {
    if let registration { loop.deregister(registration) }
    registration = nil
  }
}

/// One timer of an event loop, which is set anew again and again.
struct SingleTimer {
  private let loop: EventLoop
  private var token: EventLoop.TimerToken?

  init(on loop: EventLoop) { self.loop = loop }

  /// Has a handler called after a number of milliseconds, in place of any time set before.
  mutating func set(after milliseconds: Int64, _ handler: some TimerHandler) {
    cancel()
    token = loop.schedule(after: milliseconds, handler)
  }

  mutating func cancel() {
    if let token { loop.cancel(token) }
    token = nil
  }

  /// Forgets the time that has come.
  mutating func didFire() { token = nil }
}

/// The waits between attempts to reach one server.
struct Attempts {
  private static let backoff = Backoff(first: 50, limit: 1000, jitter: .equal)

  /// The time limit of an attempt, in milliseconds.
  static let timeLimit: Int64 = 3000

  private var failures = 0

  /// Returns the milliseconds until the next attempt.
  mutating func didFail() -> Int64 {
    failures += 1
    return Self.backoff.wait(after: failures, random: .random(in: 0 ... .max))
  }

  mutating func didSucceed() { failures = 0 }
}
