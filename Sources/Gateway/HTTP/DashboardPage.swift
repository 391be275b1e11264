import Configuration
import HTTP1
import ParleyProtocol
import Transport

/// The page for operators, one file of its own style and script.
enum DashboardPage {
  /// `GET /dashboard`, on the listeners that `dashboard.mode` says.
  static func view(_ call: ResourceCall) -> RequestOutcome {
    let shard = call.shard
    switch shard.services.settings.dashboard.mode {
    case .everywhere: return .respond(response(to: call.head))
    case .operations:
      guard shard.metricsListeners.contains(call.exchange.connection.listenerTag) else {
        return refuse(
          "the dashboard is served on operations.listen, on loopback without a proxy, or everywhere "
            + "with dashboard.mode")
      }
      return .respond(response(to: call.head))
    case .off: return refuse("dashboard.mode is off")
    }
  }

  private static func refuse(_ reason: String) -> RequestOutcome {
    .respond(HTTPResponse(refusing: ServiceError(.noSuchEndpoint, reason)))
  }

  private static func response(to head: HTTPRequestHead) -> HTTPResponse {
    let isCompressible = Gzip.isAccepted(by: head.fields.values(of: "Accept-Encoding"))
    let shrunk = isCompressible ? compressed : nil
    var response = HTTPResponse(
      status: .ok,
      fields: [
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy,
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
      ], body: shrunk ?? PackageResources.dashboard_html)
    if shrunk != nil { response.fields.append("Content-Encoding", "gzip") }
    return response
  }

  private static let compressed = Gzip.compress(PackageResources.dashboard_html)

  /// Nothing but the page's own style and script, the client for browsers, and calls of this server.
  private static let policy = """
    default-src 'none'; \
    style-src '\(StaticResources.hash(of: "style", in: PackageResources.dashboard_html))'; \
    script-src 'self' '\(StaticResources.hash(of: "script", in: PackageResources.dashboard_html))'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """
}
