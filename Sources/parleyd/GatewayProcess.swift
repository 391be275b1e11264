internal import Configuration
internal import Foundation
internal import Gateway
internal import Logging
internal import Reactor

/// The gateway's life as a process: start, signals, end.
enum GatewayProcess {
  /// Runs until it is told to stop.
  ///
  /// - Returns: The exit status: 0 after a drain, `EX_UNAVAILABLE` when it can't start.
  static func run(settings: Settings) -> Int32 {
    // Blocked before any thread exists, so that only the wait below takes them.
    let signals = SignalWait([SIGTERM, SIGINT, SIGHUP])
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is a full disk: the write fails, and the store reports it.
    signal(SIGXFSZ, SIG_IGN)
    let logger = Logger(label: "parleyd")
    let gateway: Gateway
    do {
      gateway = try Gateway(settings: settings, logger: logger)
    } catch {
      FileHandle.standardError.write(Data("parleyd: \(error)\n".utf8))
      return EX_UNAVAILABLE
    }
    announce(gateway, settings, logger)
    serve(gateway, signals, logger)
    return EXIT_SUCCESS
  }

  private static func announce(_ gateway: Gateway, _ settings: Settings, _ logger: Logger) {
    for bound in gateway.addresses {
      let scheme = bound.purpose == .tls ? "wss" : "ws"
      let kind = bound.purpose == .operations ? "operations" : scheme
      logger.notice("listening on \(kind)://\(bound.address)")
    }
    logger.info(
      "ready",
      metadata: [
        "version": "\(Release.version)", "auth": "\(settings.auth.mode.rawValue)",
        "data": "\(settings.dataDirectory)",
      ])
  }

  private static func serve(_ gateway: Gateway, _ signals: SignalWait, _ logger: Logger) {
    let waiter = Thread {
      gateway.waitUntilStopped(); signals.finish()
    }
    waiter.start()
    var isDraining = false
    while let signal = signals.next() {
      switch (signal, isDraining) {
      case (SIGHUP, _): gateway.reload()
      case (_, false):
        isDraining = true
        logger.notice("draining: clients are told to reconnect")
        gateway.drain()
      case (_, true):
        logger.notice("stopping at once")
        gateway.hurry()
      }
    }
    logger.notice("stopped")
  }
}
