internal import ArgumentParser
internal import Configuration
internal import Daemon
internal import Logging
internal import Reactor
internal import Unfurler

/// The preview service's command line: reads the settings, then runs the service or answers queries
/// about them.
struct ParleyUnfurl: ParsableCommand {
  private static let name = "parley-unfurl"

  static let configuration = DaemonOptions.configuration(
    of: .unfurlService, name, abstract: "Looks link previews up for a gateway, over HTTP.")

  @OptionGroup var options: DaemonOptions

  func run() throws {
    try options.run(
      .unfurlService, Self.name, prepare: { try UnfurlerConfiguration($0.unfurl) },
      inspect: { settings, _ in settings.listen.map(Self.finding) }
    ) { settings, fetching in
      let logger = Logger(label: Self.name)
      return DaemonProcess.run(Self.name, settings, logger: logger) { _ in
        try UnfurlDaemon(settings: settings.current, fetching: fetching, logger: logger)
      }
    }
  }
}

extension ParleyUnfurl {
  /// Checks whether an address is free.
  private static func finding(_ address: ListenAddress) -> SettingFinding {
    do throws(SystemError) {
      let (socket, _) = try Socket.listenFirst(
        on: SocketAddress(address.address, port: address.port))
      Socket.close(socket)
      return SettingFinding(.fine, "listen", "\(address) is free")
    } catch {
      return SettingFinding(.wrong, "listen", "\(error)")
    }
  }
}

/// The preview service with its fetcher.
struct UnfurlDaemon: Daemon {
  private let unfurler: EmbeddedUnfurler
  private let server: UnfurlServer
  private let rules: DomainRules
  private let logger: Logger

  /// Starts to serve, and logs the addresses.
  init(settings: Settings, fetching: UnfurlerConfiguration, logger: Logger) throws {
    _ = DescriptorLimit.raise()
    self.logger = logger
    rules = fetching.domainRules
    unfurler = try EmbeddedUnfurler(configuration: fetching)
    server = try UnfurlServer(
      configuration: UnfurlServerConfiguration(settings, fetching), unfurler: unfurler,
      logger: logger)
    for address in server.addresses { logger.notice("listening on http://\(address)") }
    if settings.listen.contains(where: { !$0.isLoopback }) {
      logger.warning(
        "listening on an address that other machines can reach: anyone who reaches it can fetch pages"
      )
    }
    logger.info("ready", metadata: ["version": "\(Release.version)"])
  }

  func reload(_ settings: SettingsReload) {
    if case .adopted(let change) = settings {
      let unfurl = change.settings.unfurl
      rules.adopt(allowed: unfurl.allowedDomains, denied: unfurl.deniedDomains)
    }
    do {
      try rules.reload()
      logger.notice(
        "reloaded the opt-out list", metadata: ["domains": "\(rules.optedOutCount)"])
    } catch {
      logger.error(
        "the opt-out list cannot be read; the previous one stays in force",
        metadata: ["reason": "\(error)"])
    }
  }

  func drain() { server.drain() }

  func hurry() { server.hurry() }

  func takePulse(_ answer: @escaping @Sendable () -> Void) { server.takePulse(answer) }

  func waitUntilStopped() {
    server.waitUntilStopped()
    unfurler.shutdown()
  }
}
