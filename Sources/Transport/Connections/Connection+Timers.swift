import HTTP
package import Reactor
import Streams

extension Connection: TimerHandler {
  package func timerDidFire(_ token: EventLoop.TimerToken) {
    switch takeDeadline(of: token) {
    case nil: break
    case .head: headIsLate()
    case .idle: drop()
    case .body(let end): checkBody(end: end)
    case .progress(let waiting): checkProgress(since: waiting)
    case .liveness(let nextPing, let unanswered):
      checkLiveness(nextPing: nextPing, unanswered: unanswered)
    case .close: drop()
    case .grace: drop()
    case .comment(let unwritten): sendComment(unwrittenSince: unwritten)
    case .pollEnd: endPoll()
    }
  }

  /// Sets the time limit of the next request's head.
  func awaitHead() {
    forgetInput()
    setTimer(.head, after: transport.configuration.headTimeout)
  }

  /// Keeps the connection for another request, which may arrive later.
  func awaitNextRequest() {
    forgetInput()
    setTimer(.idle, after: transport.configuration.keepAliveTimeout)
  }

  /// Sets the time limit of a head whose first bytes have arrived after a response.
  func headDidBegin() {
    guard isIdling else { return }
    setTimer(.head, after: transport.configuration.headTimeout)
  }

  private func headIsLate() {
    guard case .http = stage, lastReceived != nil, stream.isEstablished else {
      drop()
      return
    }
    refuse(HTTPError(.requestTimeout, "the request did not arrive in time"))
  }

  /// Sets the time limits of a body that is received in pieces: for a pause, and in total.
  func awaitBody() {
    let configuration = transport.configuration
    let end = transport.loop.now + configuration.bodyTimeout
    setTimer(.body(end: end), after: min(configuration.headTimeout, configuration.bodyTimeout))
  }

  private func checkBody(end: Int64) {
    let (now, patience) = (transport.loop.now, transport.configuration.headTimeout)
    // While the receiver accepts no more, the silence is not the peer's fault.
    let silence = isReadingPaused ? 0 : now - (lastReceived ?? now)
    guard now < end, silence < patience else {
      refuseBrokenBody(HTTPError(.requestTimeout, "the body did not arrive in time"))
      return
    }
    setTimer(.body(end: end), after: max(min(patience - silence, end - now), 1))
  }

  /// Sets the time limit for progress in sending a body.
  func awaitProgress() {
    guard let waiting = waitingBodyBytes else { return }
    setTimer(.progress(waiting), after: transport.configuration.progressTimeout)
  }

  private func checkProgress(since before: Int64) {
    guard let waiting = waitingBodyBytes, waiting < before else { return drop() }
    awaitProgress()
  }

  private var waitingBodyBytes: Int64? {
    guard case .sending(let outgoing) = stage else { return nil }
    return outgoing.count + Int64(queuedByteCount)
  }

  /// Starts the pings of a WebSocket.
  func awaitPing() {
    let interval = transport.configuration.pingInterval
    let due = transport.loop.now + interval
    setTimer(.liveness(nextPing: due, unanswered: nil), after: interval)
  }

  /// Sends a ping when it is due, and closes when nothing was received in time after a ping.
  ///
  /// One timer serves both, because the time to answer may be shorter or longer than the interval.
  private func checkLiveness(nextPing: Int64, unanswered: Int64?) {
    let (now, configuration) = (transport.loop.now, transport.configuration)
    // While reading is paused, silence is not the peer's, unless the application waits for the peer.
    var unanswered = isReadingPaused && !awaitsRoom ? nil : unanswered
    if let ping = unanswered, lastReceived ?? .min >= ping { unanswered = nil }
    if let unanswered, now - unanswered >= configuration.pongTimeout {
      close(configuration.pongTimeoutCode, reason: "nothing came since the last ping")
      return
    }
    var nextPing = nextPing
    if now >= nextPing {
      sendPing()
      unanswered = unanswered ?? now
      nextPing = now + configuration.pingInterval
    }
    let due = min(nextPing, unanswered.map { $0 + configuration.pongTimeout } ?? .max)
    setTimer(.liveness(nextPing: nextPing, unanswered: unanswered), after: max(due - now, 1))
  }

  private func sendPing() {
    var frame: [UInt8] = []
    endpoint?.ping(Span(), into: &frame)
    append(frame)
  }
}

/// The one timer of a connection, and its purpose.
struct ConnectionTimer {
  /// The purpose of the timer.
  enum Deadline {
    /// The head of a request is due.
    case head
    /// The first byte of another request is due.
    case idle
    /// The next bytes of a body are due; the complete body is due at `end` on the loop's clock.
    case body(end: Int64)
    /// Progress is due: fewer than this many bytes of the body must be left.
    case progress(Int64)
    /// The next ping is due, or input is due after an unanswered ping.
    case liveness(nextPing: Int64, unanswered: Int64?)
    /// The end of the peer's side is due.
    case close
    /// A request that carries the events of a stream is due.
    case grace
    /// The next comment to the reader of a stream is due; at `unwrittenSince`, bytes waited for its socket.
    case comment(unwrittenSince: Int64?)
    /// The end of a poll is due.
    case pollEnd
  }

  /// The timer; `nil` when none is set.
  private(set) var token: EventLoop.TimerToken?
  private var deadline = Deadline.head

  /// Whether the timer waits for the first byte of another request.
  var isIdle: Bool {
    if case .idle = deadline { token != nil } else { false }
  }

  /// Sets the timer, replacing any current one.
  mutating func set(
    _ deadline: Deadline, after delay: Int64, on loop: EventLoop, for handler: any TimerHandler
  ) {
    cancel(on: loop)
    self.deadline = deadline
    token = loop.schedule(after: delay, handler)
  }

  mutating func cancel(on loop: EventLoop) {
    if let token { loop.cancel(token) }
    token = nil
  }

  /// Records that a timer has fired.
  ///
  /// - Returns: `nil` when the fired timer is not the current one.
  mutating func fire(_ fired: EventLoop.TimerToken) -> Deadline? {
    guard fired == token else { return nil }
    token = nil
    return deadline
  }
}
