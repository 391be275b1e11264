package import Configuration
internal import Glibc
package import Logging
internal import Reactor

/// A process that runs until a signal stops it.
package protocol Daemon: Sendable {
  /// Adopts settings that were read again, and reads files again that may change during the run.
  func reload(_ settings: SettingsReload)

  /// Begins to end: accepts no new work, finishes the work under way.
  func drain()

  /// Ends without waiting for clients, after ``drain()``.
  func hurry()

  /// Calls `answer`, from any thread, once every event loop has taken a turn since.
  ///
  /// It is never called when one of them is stuck, or has ended.
  func takePulse(_ answer: @escaping @Sendable () -> Void)

  /// Waits until it has ended.
  func waitUntilStopped()

  /// Whether it has ended only to be made again, because it can't go on as it was.
  var startsAgain: Bool { get }
}

extension Daemon {
  package var startsAgain: Bool { false }
}

/// A daemon's life as a process: start, signals, end.
package enum DaemonProcess {
  /// Runs until a signal stops the process.
  ///
  /// SIGTERM and SIGINT drain, a second one hurries, SIGHUP reads settings and files again. Who has
  /// started the process receives these notifications by sd_notify(3), if it asks for them.
  ///
  /// - Parameters:
  ///   - name: What messages on standard error begin with.
  ///   - settings: The settings, which SIGHUP reads again.
  ///   - start: Makes the daemon with the settings that hold then; called once signals are taken care of,
  ///     on a thread of its own, and again for a daemon that starts again. A signal to end makes it stop
  ///     waiting and throw.
  /// - Returns: The exit status: 0 after a drain and when a signal has ended the start, `EX_CONFIG` when
  ///   a setting cannot be put to use, `EX_UNAVAILABLE` when something else keeps it from starting.
  package static func run(
    _ name: String, _ settings: SettingsInForce, logger: Logger,
    start: @escaping @Sendable (DaemonStart) throws -> any Daemon
  ) -> Int32 {
    // Blocked before any thread exists, so that only the wait below takes them.
    let signals = SignalWait([SIGTERM, SIGINT, SIGHUP])
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is a full disk: the write fails, and whoever wrote reports it.
    signal(SIGXFSZ, SIG_IGN)
    let supervision = Supervision(
      environment: ProcessEnvironment.variables, logger: logger)
    let life = DaemonLife(settings, supervision, logger)
    let format = settings.current.log.format
    do {
      // Released at once: it ends by itself, and the signal that it sends is waited for.
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

  /// The exit status after a start that failed.
  ///
  /// A supervisor does not try again when a setting cannot be put to use, such as a password that
  /// PostgreSQL refuses.
  static func status(of error: any Error) -> Int32 {
    error is UnusableSetting ? EX_CONFIG : EX_UNAVAILABLE
  }
}
