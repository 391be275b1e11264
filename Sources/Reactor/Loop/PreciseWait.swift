extension EventLoop {
  /// Calls `action` after a time in nanoseconds that is shorter than a tick of the loop's timers.
  ///
  /// Takes a descriptor meanwhile: for the few waits that a tick would make several times longer.
  package func wait(
    nanoseconds: Int64, then action: @escaping () -> Void
  ) throws(SystemError) {
    try PreciseWait(action, on: self).begin(nanoseconds)
  }
}

/// One wait; the loop holds it until it is over.
private final class PreciseWait: ReadinessHandler {
  private let timer: PrecisionTimer
  private let action: () -> Void
  private unowned let loop: EventLoop
  private var registration: EventLoop.Registration?

  init(_ action: @escaping () -> Void, on loop: EventLoop) throws(SystemError) {
    timer = try PrecisionTimer()
    self.action = action
    self.loop = loop
  }

  func begin(_ nanoseconds: Int64) throws(SystemError) {
    let (end, isOverflow) = SystemClock.monotonicNanoseconds
      .addingReportingOverflow(max(0, nanoseconds))
    timer.set(to: isOverflow ? .max : end)
    registration = try loop.register(timer.descriptor, for: .readable, handler: self)
  }

  func descriptorIsReady(for readiness: Readiness) {
    if let registration { loop.deregister(registration) }
    action()
  }
}
