package import Reactor

/// A test of a bus: its messages to itself must come back.
///
/// Confined to the caller's thread.
package final class BusTrial: TimerHandler {
  private let loop: EventLoop
  private var problem: String?

  private init() throws(SystemError) {
    loop = try EventLoop()
  }

  /// Opens a bus and waits until messages flow, with a time limit.
  ///
  /// - Parameters:
  ///   - patience: Milliseconds.
  ///   - open: Makes the bus on a loop of the caller's thread.
  /// - Returns: The obstacle, without passwords; `nil` when messages flow.
  package static func problem(
    within patience: Int64, of open: (EventLoop, @escaping BusHandler) throws -> any Bus
  ) -> String? {
    do {
      return try BusTrial().run(within: patience, open)
    } catch {
      return "\(error)"
    }
  }

  private func run(
    within patience: Int64, _ open: (EventLoop, @escaping BusHandler) throws -> any Bus
  ) throws -> String? {
    problem = "no message came back within \(patience) ms"
    let bus = try open(loop) { [weak self] in self?.receive($0) }
    loop.endOfTurn = {
      bus.flush()
      return .idle
    }
    _ = loop.schedule(after: patience, self)
    loop.run()
    bus.close()
    loop.endOfTurn = { .idle }
    return problem
  }

  private func receive(_ event: BusEvent) {
    switch event {
    case .message: return
    case .up: problem = nil
    case .down(let reason): problem = reason
    }
    loop.stop()
  }

  package func timerDidFire(_ token: EventLoop.TimerToken) { loop.stop() }
}
