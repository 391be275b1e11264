internal import Glibc
internal import Logging
internal import Reactor
internal import Synchronization

/// The life of a daemon from start to end, and the handling of signals during that time.
final class DaemonLife: Sendable {
  enum Outcome: Sendable {
    case ended
    /// A signal has ended the start.
    case cancelled
    case failed(any Error)
  }

  private enum Stage {
    case starting
    /// Files may have changed after they were read during the start.
    case startingAndReloading
    case serving(any Daemon)
    case draining(any Daemon)
    case over(Outcome)
  }

  /// The maximum number of pauses between attempts to create a daemon again.
  private static let mostPauses = 20

  private let settings: SettingsInForce
  private let supervision: Supervision
  private let logger: Logger
  private let start: DaemonStart
  private let stage = Mutex(Stage.starting)

  init(_ settings: SettingsInForce, _ supervision: Supervision, _ logger: Logger) {
    self.settings = settings
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

  /// Starts the daemon and waits until it has ended; creates it again each time it requests a restart.
  func run(_ make: (DaemonStart) throws -> any Daemon) {
    do {
      // A daemon that has ended is released before another one is created.
      var startsAgain = serve(try make(start))
      while startsAgain { startsAgain = serve(try makeAgain(make)) }
    } catch {
      end(start.wasCancelled ? .cancelled : .failed(error))
    }
  }

  /// - Returns: Whether the daemon has to be created again.
  private func serve(_ daemon: any Daemon) -> Bool {
    begin(daemon)
    daemon.waitUntilStopped()
    supervision.didEnd()
    return stage.withLock { stage in
      guard case .serving = stage, daemon.startsAgain else {
        stage = .over(.ended)
        return false
      }
      stage = .starting
      return true
    }
  }

  /// Creates the daemon again, with any number of attempts, because the start has succeeded before.
  ///
  /// - Throws: Only after a termination signal.
  private func makeAgain(_ make: (DaemonStart) throws -> any Daemon) throws -> any Daemon {
    var (last, pauses) = ("", 0)
    while true {
      do {
        return try make(start)
      } catch {
        let reason = "\(error)"
        if reason != last, !start.wasCancelled {
          logger.error("cannot start again; retrying", metadata: ["reason": "\(reason)"])
        }
        last = reason
        pauses = min(pauses + 1, Self.mostPauses)
        for _ in 0..<pauses where !start.wait(reason) { throw error }
      }
    }
  }

  /// Handles a signal that the process received.
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
        reload(daemon)
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
      if reloads { reload(daemon) }
    }
  }

  private func reload(_ daemon: any Daemon) {
    supervision.reloading {
      let outcome = settings.reload(logger)
      daemon.reload(outcome)
      return outcome
    }
  }

  private func end(_ outcome: Outcome) { stage.withLock { $0 = .over(outcome) } }
}
