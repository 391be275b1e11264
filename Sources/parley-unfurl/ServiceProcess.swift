internal import Configuration
internal import Foundation
internal import Logging
internal import Reactor
internal import Unfurler
internal import UnfurlService

/// The preview service's life as a process: start, signals, end.
enum ServiceProcess {
  /// Runs until it is told to stop.
  ///
  /// - Returns: The exit status: 0 after a drain, `EX_UNAVAILABLE` when it can't start.
  static func run(settings: Settings, fetching: UnfurlerConfiguration) -> Int32 {
    // Blocked before any thread exists, so that only the wait below takes them.
    let signals = SignalWait([SIGTERM, SIGINT, SIGHUP])
    signal(SIGPIPE, SIG_IGN)
    _ = DescriptorLimit.raise()
    let logger = Logger(label: "parley-unfurl")
    do {
      let unfurler = try EmbeddedUnfurler(configuration: fetching)
      let server = try UnfurlServer(
        configuration: UnfurlServerConfiguration(settings, fetching), unfurler: unfurler,
        logger: logger)
      announce(server, settings, logger)
      serve(server, fetching.domainRules, signals, logger)
      unfurler.shutdown()
    } catch {
      FileHandle.standardError.write(Data("parley-unfurl: \(error)\n".utf8))
      return EX_UNAVAILABLE
    }
    logger.notice("stopped")
    return EXIT_SUCCESS
  }

  private static func announce(_ server: UnfurlServer, _ settings: Settings, _ logger: Logger) {
    for address in server.addresses { logger.notice("listening on http://\(address)") }
    if settings.listen.contains(where: { !$0.isLoopback }) {
      logger.warning("listening beyond loopback: it fetches for anybody who can reach it")
    }
    logger.info("ready", metadata: ["version": "\(Release.version)"])
  }

  private static func serve(
    _ server: UnfurlServer, _ rules: DomainRules, _ signals: SignalWait, _ logger: Logger
  ) {
    let waiter = Foundation.Thread {
      server.waitUntilStopped()
      signals.finish()
    }
    waiter.start()
    var isDraining = false
    while let signal = signals.next() {
      switch (signal, isDraining) {
      case (SIGHUP, _): reload(rules, logger)
      case (_, false):
        isDraining = true
        logger.notice("draining: questions under way are answered, new ones are not taken")
        server.drain()
      case (_, true):
        logger.notice("stopping at once")
        server.hurry()
      }
    }
  }

  /// Reads the opt-out file again; the old list stays in use when the new one can't be used.
  private static func reload(_ rules: DomainRules, _ logger: Logger) {
    do {
      try rules.reload()
      logger.notice(
        "the opt-out list was read again", metadata: ["domains": "\(rules.optedOutCount)"])
    } catch {
      logger.error(
        "the opt-out list can't be read again: the old one stays",
        metadata: ["reason": "\(error)"])
    }
  }
}
