internal import Reactor
internal import Transport

/// A server's way to its end: what is unanswered is answered, then the loop stops.
///
/// As long as something is unanswered, requests are still taken, so that whoever asks learns that
/// the server is not ready.
final class UnfurlLoopDrain: TimerHandler {
  /// The interval at which ended connections are looked for, in milliseconds.
  private static let step: Int64 = 20

  private unowned let server: UnfurlLoop
  private let deadline: Int64
  private var timer: EventLoop.TimerToken?

  init(of server: UnfurlLoop, timeout: Int64) {
    self.server = server
    deadline = server.loop.now + min(max(0, timeout), 3_600_000)
  }

  func proceed() {
    if server.loop.now >= deadline { return hurry() }
    if server.pendingCount == 0 { endConnections() }
    wait()
  }

  /// Stops waiting for pages.
  func hurry() {
    server.callOff()
    endConnections()
    wait()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == timer else { return }
    timer = nil
    proceed()
  }

  /// Accepts nothing more, and ends what is open once its last words are written; the transport
  /// bounds how long a peer may take to read them.
  private func endConnections() {
    server.transport.stopListening()
    server.transport.forEachConnection { $0.end() }
  }

  private func wait() {
    if let timer { server.loop.cancel(timer) }
    timer = nil
    if server.pendingCount == 0, server.transport.connectionCount == 0 {
      server.loop.stop()
    } else {
      timer = server.loop.schedule(after: Self.step, self)
    }
  }
}
