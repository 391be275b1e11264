internal import Reactor
internal import Transport

/// A front's way to its end: what is unanswered is answered, then the loop stops.
///
/// As long as something is unanswered, requests are still taken, so that whoever asks learns that
/// the server is not ready.
final class FrontDrain: TimerHandler {
  /// How often ended connections are looked for, in milliseconds.
  private static let step: Int64 = 20

  private unowned let front: Front
  private let deadline: Int64
  private var timer: EventLoop.TimerToken?

  init(of front: Front, timeout: Int64) {
    self.front = front
    deadline = front.loop.now + min(max(0, timeout), 3_600_000)
  }

  func proceed() {
    if front.loop.now >= deadline { return hurry() }
    if front.pendingCount == 0 { endConnections() }
    wait()
  }

  /// Waits for no page any more.
  func hurry() {
    front.callOff()
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
    front.transport.stopListening()
    front.transport.forEachConnection { $0.end() }
  }

  private func wait() {
    if let timer { front.loop.cancel(timer) }
    timer = nil
    if front.pendingCount == 0, front.transport.connectionCount == 0 {
      front.loop.stop()
    } else {
      timer = front.loop.schedule(after: Self.step, self)
    }
  }
}
