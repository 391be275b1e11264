internal import ArgumentParser
internal import Configuration
internal import Daemon
internal import Gateway
internal import Glibc
internal import Logging
internal import SQLite
internal import Store

/// The server's command line: reads the settings, then runs the gateway or answers about them.
@main
struct Parleyd: ParsableCommand {
  private static let name = "parleyd"

  static let configuration = DaemonOptions.configuration(
    of: .gateway, name,
    abstract: "Real-time gateway: WebSocket channels, flood protection, link previews.")

  @OptionGroup var options: DaemonOptions

  func run() throws {
    SQLiteSetup.forgoMemoryStatistics()
    try options.run(.gateway, Self.name, prepare: { try GatewayPlan($0) }) { settings, plan in
      let logger = Logger(label: Self.name)
      return DaemonProcess.run(Self.name, logger: logger) {
        let gateway = try Gateway(plan, logger: logger)
        Self.announce(gateway, settings, logger)
        return gateway
      }
    }
  }

  private static func announce(_ gateway: Gateway, _ settings: Settings, _ logger: Logger) {
    for bound in gateway.addresses {
      logger.notice("listening on \(scheme(of: bound.purpose))://\(bound.address)")
    }
    logger.info(
      "ready",
      metadata: [
        "version": "\(Release.version)", "auth": "\(settings.auth.mode.rawValue)",
        "data": "\(settings.dataDirectory)", "store": "\(settings.store.engine.rawValue)",
      ])
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
