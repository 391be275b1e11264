import Reactor

/// The time for which a connection is not read because its caller is in debt.
final class Silence: TimerHandler {
  private let loop: EventLoop
  private let over: () -> Void
  private var timer: EventLoop.TimerToken?

  /// - Parameters:
  ///   - duration: Milliseconds.
  ///   - over: Called at the end, unless ``end()`` comes before.
  init(for duration: Int64, on loop: EventLoop, over: @escaping () -> Void) {
    self.loop = loop
    self.over = over
    timer = loop.schedule(after: duration, self)
  }

  /// Forgets about the end: the connection is gone.
  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    over()
  }
}
