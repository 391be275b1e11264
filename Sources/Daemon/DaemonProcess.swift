package import Configuration
internal import Glibc
package import Logging
internal import Reactor

/// A process that runs until a signal stops it.
package protocol Daemon: Sendable {
  /// Applies reloaded settings, and reads files again that may change during the run.
  func reload(_ settings: SettingsReload)

  /// Begins to shut down: accepts no new work and finishes the current work.
  func drain()

  /// Shuts down without waiting for clients, after ``drain()``.
  func hurry()

  /// Calls `answer`, from any thread, when every event loop has taken a turn since the call.
  ///
  /// `answer` is never called when a loop is stuck or has ended.
  func takePulse(_ answer: @escaping @Sendable () -> Void)

  /// Waits until the daemon has ended.
  func waitUntilStopped()

  /// Whether the daemon has ended only to be created again, because it could not continue in its state.
  var startsAgain: Bool { get }
}

extension Daemon {
  package var startsAgain: Bool { false }
}

/// The lifecycle of a daemon process: start, signals, end.
package enum DaemonProcess {
  /// Runs until a signal stops the process.
  ///
  /// SIGTERM and SIGINT start a drain, a second one shortens it, SIGHUP reloads settings and files. The
  /// supervisor of the process receives these notifications through sd_notify(3), if it requests them.
  ///
  /// - Parameters:
  ///   - name: The prefix of messages on standard error.
  ///   - settings: The settings, which SIGHUP reloads.
  ///   - start: Creates the daemon with the current settings. Called on a separate thread once signals
  ///     are handled, and again for a daemon that restarts. A termination signal makes it stop waiting
  ///     and throw.
  /// - Returns: The exit status: 0 after a drain or when a signal has ended the start, `EX_CONFIG` when
  ///   a setting is unusable, `EX_UNAVAILABLE` when the start fails for any other reason.
  package static func run(
    _ name: String, _ settings: SettingsInForce, logger: Logger,
    start: @escaping @Sendable (DaemonStart) throws -> any Daemon
  ) -> Int32 {
    // Blocked before any thread exists, so that only the wait below receives them.
    let signals = SignalWait([SIGTERM, SIGINT, SIGHUP])
    signal(SIGPIPE, SIG_IGN)
    // The file size limit is treated like a full disk: the write fails and its caller reports it.
    signal(SIGXFSZ, SIG_IGN)
    let supervision = Supervision(
      environment: ProcessEnvironment.variables, logger: logger)
    let life = DaemonLife(settings, supervision, logger)
    let format = settings.current.log.format
    do {
      // Released immediately: the thread ends by itself, and the code below waits for its signal.
      _ = try Thread(name: "daemon") {
        life.run(start)
        signals.finish()
      }
    } catch {
      StartFailure.write(error, name: name, format: format)
      return EX_OSERR
    }
    while let signal = signals.next() { life.take(signal) }
    switch life.outcome {
    case .ended:
      logger.notice("stopped")
      return EXIT_SUCCESS
    case .cancelled:
      logger.notice("stopped before it served")
      return EXIT_SUCCESS
    case .failed(let error):
      StartFailure.write(error, name: name, format: format)
      return status(of: error)
    }
  }

  /// The exit status after a failed start.
  ///
  /// A supervisor does not retry when a setting is unusable, such as a password that PostgreSQL refuses.
  static func status(of error: any Error) -> Int32 {
    error is UnusableSetting ? EX_CONFIG : EX_UNAVAILABLE
  }
}
