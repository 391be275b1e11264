import HTTP1
package import Reactor
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

  private func headIsLate() {
    guard case .http(let parser) = stage, !parser.isIdle, tls?.isEstablished != false else {
      drop()
      return
    }
    var bytes: [UInt8] = []
    HTTPError.headTooLate.response.serialize(into: &bytes, persistence: .close, body: .included)
    append(bytes)
    finish()
  }

  private func ping() {
    var frame: [UInt8] = []
    endpoint?.ping([], into: &frame)
    append(frame)
    setTimer(.pong(since: transport.loop.now), after: transport.configuration.pongTimeout)
  }

  private func checkLiveness(since pinged: Int64) {
    guard lastReceived < pinged else {
      let rest = transport.configuration.pingInterval - transport.configuration.pongTimeout
      setTimer(.ping, after: max(rest, 1))
      return
    }
    close(.pongTimeout, reason: "nothing came since the last ping")
  }
}
