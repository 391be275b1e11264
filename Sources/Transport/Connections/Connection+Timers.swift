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
    case .ping: ping()
    case .pong(let since): checkLiveness(since: since)
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
    var bytes: [UInt8] = []
    let error = HTTPError(.requestTimeout, "the request did not arrive in time")
    HTTPResponse(refusing: error).serialize(into: &bytes, for: .close)
    append(bytes)
    finish()
  }

  private func ping() {
    var frame: [UInt8] = []
    endpoint?.ping(Span(), into: &frame)
    append(frame)
    setTimer(.pong(since: transport.loop.now), after: transport.configuration.pongTimeout)
  }

  private func checkLiveness(since pinged: Int64) {
    // While the application does not read, silence is not the peer's.
    guard lastReceived ?? .min < pinged, !isReadingPaused else {
      let rest = transport.configuration.pingInterval - transport.configuration.pongTimeout
      setTimer(.ping, after: max(rest, 1))
      return
    }
    close(.pongTimeout, reason: "nothing came since the last ping")
  }
}
