import Configuration
import HTTP
import ParleyProtocol
import Transport

/// The page for operators: one file with its own style and script.
enum DashboardPage {
  /// Serves `GET /dashboard`, on the listeners that `dashboard.mode` selects.
  static func view(_ call: ResourceCall) -> RequestOutcome {
    let shard = call.shard
    switch shard.settings.dashboard.mode {
    case .everywhere: return .respond(page.response(to: call.head))
    case .operations:
      guard shard.metricsListeners.contains(call.exchange.connection.listenerTag) else {
        return refuse(
          "the dashboard is served on operations.listen, on loopback without a proxy, or everywhere "
            + "with dashboard.mode")
      }
      return .respond(page.response(to: call.head))
    case .off: return refuse("dashboard.mode is off")
    }
  }

  private static func refuse(_ reason: String) -> RequestOutcome {
    .respond(HTTPResponse(refusing: ServiceError(.noSuchEndpoint, reason)))
  }

  /// The page calls only this server.
  private static let page = EmbeddedPage(
    DocumentContent.dashboard, scripts: "'self' ", connections: "'self'", pictures: "'none'")
}
