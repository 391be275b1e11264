internal import Glibc
internal import Logging
internal import Reactor
internal import Synchronization

/// A daemon from its start to its end, and the signals that it is given meanwhile.
final class DaemonLife: Sendable {
  enum Outcome: Sendable {
    case ended(status: Int32)
    /// A signal has ended the start.
    case cancelled
    case failed(any Error)
  }

  private enum Stage {
    case starting
    /// Files may have changed after the start had read them.
    case startingAndReloading
    case serving(any Daemon)
    case draining(any Daemon)
    case over(Outcome)
  }

  private let supervision: Supervision
  private let logger: Logger
  private let start: DaemonStart
  private let stage = Mutex(Stage.starting)

  init(_ supervision: Supervision, _ logger: Logger) {
    self.supervision = supervision
    self.logger = logger
    start = DaemonStart(supervision)
  }

  /// The outcome, once ``run(_:)`` has returned.
  var outcome: Outcome {
    stage.withLock { stage in
      guard case .over(let outcome) = stage else { return .cancelled }
      return outcome
    }
  }

  /// Starts the daemon, and waits until it has ended.
  func run(_ make: (DaemonStart) throws -> any Daemon) {
    do {
      let daemon = try make(start)
      begin(daemon)
      daemon.waitUntilStopped()
      end(.ended(status: daemon.exitStatus))
    } catch {
      end(start.wasCancelled ? .cancelled : .failed(error))
    }
  }

  /// Takes a signal that the process was sent.
  func take(_ signal: Int32) {
    stage.withLock { stage in
      switch (stage, signal) {
      case (.over, _): break
      case (.starting, SIGHUP), (.startingAndReloading, SIGHUP): stage = .startingAndReloading
      case (.starting, _), (.startingAndReloading, _):
        logger.notice("stopping before it serves")
        supervision.isStopping()
        start.cancel()
      case (.serving(let daemon), SIGHUP), (.draining(let daemon), SIGHUP):
        supervision.reloading(daemon.reload)
      case (.serving(let daemon), _):
        stage = .draining(daemon)
        logger.notice("draining")
        supervision.isStopping()
        daemon.drain()
      case (.draining(let daemon), _):
        logger.notice("stopping without waiting for clients")
        daemon.hurry()
      }
    }
  }

  private func begin(_ daemon: any Daemon) {
    stage.withLock { stage in
      guard !start.wasCancelled else {
        stage = .draining(daemon)
        return daemon.drain()
      }
      let reloads = if case .startingAndReloading = stage { true } else { false }
      stage = .serving(daemon)
      supervision.didStart(daemon)
      if reloads { supervision.reloading(daemon.reload) }
    }
  }

  private func end(_ outcome: Outcome) { stage.withLock { $0 = .over(outcome) } }
}
