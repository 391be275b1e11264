import HTTP1
package import Reactor
import TLS
import WebSocket

extension Connection: TimerHandler {
  package func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == timer else { return }
    timer = nil
    switch deadline {
    case .head: headIsLate()
    case .liveness(let nextPing, let unanswered):
      checkLiveness(nextPing: nextPing, unanswered: unanswered)
    case .close: drop()
    }
  }

  func setTimer(_ deadline: Deadline, after delay: Int64) {
    cancelTimer()
    self.deadline = deadline
    timer = transport.loop.schedule(after: delay, self)
  }

  func cancelTimer() {
    if let timer { transport.loop.cancel(timer) }
    timer = nil
  }

  /// Expects the next request, whole, in time.
  func awaitHead() {
    lastReceived = nil
    setTimer(.head, after: transport.configuration.headTimeout)
  }

  private func headIsLate() {
    guard case .http = stage, lastReceived != nil, tls?.isEstablished != false else {
      drop()
      return
    }
    refuse(HTTPError(.requestTimeout, "the request did not arrive in time"))
  }

  /// Starts the pings of a WebSocket.
  func awaitPing() {
    let interval = transport.configuration.pingInterval
    let due = transport.loop.now + interval
    setTimer(.liveness(nextPing: due, unanswered: nil), after: interval)
  }

  /// Pings when it is time to, and closes when nothing has come in time after a ping.
  ///
  /// One timer serves both, as the time to answer may be shorter or longer than the interval.
  private func checkLiveness(nextPing: Int64, unanswered: Int64?) {
    let (now, configuration) = (transport.loop.now, transport.configuration)
    // While the application does not read, silence is not the peer's.
    var unanswered = isReadingPaused ? nil : unanswered
    if let ping = unanswered, lastReceived ?? .min >= ping { unanswered = nil }
    if let unanswered, now - unanswered >= configuration.pongTimeout {
      close(.pongTimeout, reason: "nothing came since the last ping")
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
