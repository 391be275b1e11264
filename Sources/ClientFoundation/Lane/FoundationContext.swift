internal import ClientTransport
internal import Dispatch

/// The clock, timers, sessions and members of a lane; confined to its queue.
final class FoundationContext: LaneContext {
  /// Sessions beyond this number are closed, the oldest first, once their tasks have ended.
  private static let sessionLimit = 16

  var members: [ObjectIdentifier: any LaneMember] = [:]
  private let queue: DispatchQueue
  /// Identifies the queue.
  private let mark = DispatchSpecificKey<Void>()
  /// A clock that continues while the device sleeps, so that overdue answers are noticed at once.
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  /// The sessions, the oldest first.
  private var sessions: [WebSession] = []

  init(_ queue: DispatchQueue) {
    self.queue = queue
    start = clock.now
    queue.setSpecific(key: mark, value: ())
  }

  var now: Int64 { start.duration(to: clock.now).milliseconds }

  func connect(
    by plan: ConnectionPlan, owner: any ServerConnectionOwner
  ) -> any ServerConnection {
    let link = WebSocketLink(plan, owner: owner, in: self)
    link.start()
    return link
  }

  func request(
    _ request: ClientRequest, by plan: ConnectionPlan,
    _ receive: @escaping (ResponsePart) -> Void
  ) -> any LaneRequest {
    let request = FoundationRequest(request, plan, receive)
    request.start(in: self)
    return request
  }

  func timer(
    after milliseconds: Int64, _ fire: @escaping () -> Void
  ) -> any LaneTimer {
    SleepTimer(after: milliseconds, on: queue, fire)
  }

  /// Runs a closure after the current job.
  func later(_ body: @escaping () -> Void) {
    let bound = LaneBound(body)
    queue.async { bound.value() }
  }

  /// Runs closures on the lane, from any thread, in order; at once on the lane itself.
  ///
  /// `URLSession` calls completion handlers and its delegate on the lane. Another hop would let a close
  /// frame overtake the message before it.
  var entrance: @Sendable (@escaping @Sendable () -> Void) -> Void {
    { [queue, mark] body in
      if DispatchQueue.getSpecific(key: mark) != nil { body() } else { queue.async(execute: body) }
    }
  }

  /// Returns the session for a plan's trust and proxy.
  func session(for plan: ConnectionPlan) throws(ConnectionFailure) -> WebSession {
    let route = WebRoute(plan)
    if let session = sessions.first(where: { $0.route == route }) { return session }
    let made = try WebSession(route, on: queue)
    sessions.append(made)
    if sessions.count > Self.sessionLimit { sessions.removeFirst().retire() }
    return made
  }

  /// Ends all connections and requests.
  func stop() {
    for member in members.values { member.abandon() }
    members = [:]
    for session in sessions { session.cancel() }
    sessions = []
  }
}

/// A timer that counts the time for which the device sleeps.
private final class SleepTimer: LaneTimer {
  private var fire: (() -> Void)?
  private var task: Task<Void, Never>?

  init(after milliseconds: Int64, on queue: DispatchQueue, _ fire: @escaping () -> Void) {
    self.fire = fire
    let bound = LaneBound(self)
    task = Task {
      let wait = Duration.milliseconds(max(0, milliseconds))
      try? await Task.sleep(for: wait, clock: .continuous)
      guard !Task.isCancelled else { return }
      queue.async { bound.value.expire() }
    }
  }

  func cancel() {
    fire = nil
    task?.cancel()
  }

  private func expire() {
    fire?()
    fire = nil
  }
}
