internal import ArgumentParser
internal import Configuration
internal import Daemon
internal import Gateway
internal import Logging
internal import SQLite
internal import Store
internal import Synchronization

/// The server's command line: reads the settings, then runs the gateway or answers queries about them.
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
      let announcement = Announcement(logger)
      let entrance = Entrance(plan, logger: logger)
      return DaemonProcess.run(Self.name, settings, logger: logger) { start in
        // A gateway created again keeps the reloaded settings.
        let plan = try plan.adopting(settings.current)
        let gateway = try Gateway(plan, at: entrance, logger: logger) { reason, addresses in
          announcement.announce(addresses)
          return start.wait(reason)
        }
        announcement.announce(gateway.addresses)
        gateway.reportReadiness()
        return gateway
      }
    }
  }
}

/// The log lines with the addresses of the server, written once.
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

extension Gateway: Daemon {}
