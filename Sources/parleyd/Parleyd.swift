internal import ArgumentParser
internal import Configuration
internal import Daemon
internal import Gateway
internal import Glibc
internal import Logging
internal import SQLite
internal import Store
internal import Synchronization

/// The server's command line: reads the settings, then runs the gateway or answers about them.
struct Parleyd: ParsableCommand {
  private static let name = "parleyd"

  static let configuration = DaemonOptions.configuration(
    of: .gateway, name,
    abstract: "Real-time gateway: WebSocket channels, flood protection, link previews.")

  @OptionGroup var options: DaemonOptions

  func run() throws {
    SQLiteSetup.forgoMemoryStatistics()
    try options.run(
      .gateway, Self.name, prepare: { try GatewayPlan($0) }, inspect: { DeepCheck($1).run() }
    ) { settings, plan in
      let logger = Logger(label: Self.name)
      return DaemonProcess.run(Self.name, logger: logger, format: settings.log.format) { start in
        let announcement = Announcement(logger)
        let gateway = try Gateway(plan, logger: logger) { reason, addresses in
          announcement.announce(addresses)
          return start.wait(reason)
        }
        announcement.announce(gateway.addresses)
        Self.reportReadiness(settings, logger)
        return gateway
      }
    }
  }

  private static func reportReadiness(_ settings: Settings, _ logger: Logger) {
    logger.info(
      "ready",
      metadata: [
        "version": "\(Release.version)", "auth": "\(settings.auth.mode.rawValue)",
        "data": "\(settings.dataDirectory)", "store": "\(settings.store.engine.rawValue)",
      ])
  }

}

/// The log lines with the addresses of the server, which are written once.
private final class Announcement: Sendable {
  private let logger: Logger
  private let isMade = Atomic(false)

  init(_ logger: Logger) {
    self.logger = logger
  }

  func announce(_ addresses: [BoundAddress]) {
    guard !isMade.exchange(true, ordering: .relaxed) else { return }
    for bound in addresses {
      logger.notice("listening on \(Self.scheme(of: bound.purpose))://\(bound.address)")
    }
  }

  private static func scheme(of purpose: BoundAddress.Purpose) -> String {
    switch purpose {
    case .plain: "ws"
    case .tls: "wss"
    case .operations: "operations"
    case .proxied: "proxy"
    }
  }
}

extension Gateway: Daemon {
  // A supervisor starts it again as another server of the cluster.
  var exitStatus: Int32 { hasLeftCluster ? EX_TEMPFAIL : EXIT_SUCCESS }
}
