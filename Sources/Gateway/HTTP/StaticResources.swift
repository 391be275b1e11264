import Basics
import HTTP1
import ParleyProtocol
import Telemetry
import Transport

/// The resources that are served from the binary and from memory.
enum StaticResources {
  /// The page for a newcomer's first minute.
  static func page(_ call: ResourceCall) -> RequestOutcome { .respond(pageResponse) }

  static func icon(_ call: ResourceCall) -> RequestOutcome {
    .respond(HTTPResponse(status: .noContent))
  }

  static func health(_ call: ResourceCall) -> RequestOutcome {
    .respond(aliveResponse)
  }

  static func readiness(_ call: ResourceCall) -> RequestOutcome {
    guard let reason = call.shard.services.unreadiness else {
      return .respond(HTTPResponse(status: .ok, text: "ready\n"))
    }
    return .respond(unreadyResponse(reason))
  }

  static let aliveResponse = HTTPResponse(status: .ok, text: "alive\n")

  static func unreadyResponse(_ reason: String) -> HTTPResponse {
    HTTPResponse(status: .serviceUnavailable, text: "not ready: \(reason)\n")
  }

  static func metrics(_ call: ResourceCall) -> RequestOutcome {
    let shard = call.shard
    guard shard.metricsListeners.contains(call.exchange.connection.listenerTag) else {
      return .respond(
        HTTPResponse(
          refusing: ServiceError(
            .noSuchEndpoint,
            "metrics are served on operations.listen, or on loopback without a proxy")))
    }
    let text = shard.services.metrics.render(with: shard.services.samples)
    return .respond(
      HTTPResponse(
        status: .ok, fields: ["Content-Type": PrometheusText.contentType], body: Array(text.utf8)))
  }

  /// The description of everything over HTTP, for machines.
  static func openAPI(_ call: ResourceCall) -> RequestOutcome {
    .respond(openAPIDescription.response(to: call.head))
  }

  /// The description of everything over the WebSocket, for machines.
  static func asyncAPI(_ call: ResourceCall) -> RequestOutcome {
    .respond(asyncAPIDescription.response(to: call.head))
  }

  /// The client for browsers, under a name that later versions share.
  static func module(_ call: ResourceCall) -> RequestOutcome {
    .respond(clientModule.response(to: call.head))
  }

  /// The same, under a name of its own.
  static func lastingModule(_ call: ResourceCall) -> RequestOutcome {
    .respond(lastingClientModule.response(to: call.head))
  }

  /// The types of the client for browsers.
  static func moduleTypes(_ call: ResourceCall) -> RequestOutcome {
    .respond(clientTypes.response(to: call.head))
  }

  /// The beginning of the SHA-256 of the client for browsers, which its lasting name has.
  static let moduleHash = String(
    Hexadecimal.encode(EmbeddedDocument.digest(of: PackageResources.parley_js)).prefix(16))

  private static let openAPIDescription = EmbeddedDocument(
    PackageResources.openapi_json, mediaType: "application/vnd.oai.openapi+json;version=3.1")
  private static let asyncAPIDescription = EmbeddedDocument(
    PackageResources.asyncapi_json, mediaType: "application/vnd.aai.asyncapi+json;version=3.0.0")
  private static let scriptType = "text/javascript; charset=utf-8"
  private static let clientModule = EmbeddedDocument(
    PackageResources.parley_js, mediaType: scriptType)
  private static let lastingClientModule = EmbeddedDocument(
    PackageResources.parley_js, mediaType: scriptType, lifetime: .lasting)
  private static let clientTypes = EmbeddedDocument(
    PackageResources.parley_d_ts, mediaType: "application/typescript; charset=utf-8")

  private static let pageResponse = HTTPResponse(
    status: .ok,
    fields: [
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": pagePolicy,
      "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    ], body: PackageResources.index_html)

  /// Nothing but the page's own style and script, which their hashes name, and scripts of this server.
  ///
  /// Files of users are none: their types are not those of scripts, and browsers do not guess.
  private static let pagePolicy = """
    default-src 'none'; style-src '\(hash(of: "style", in: PackageResources.index_html))'; \
    script-src 'self' '\(hash(of: "script", in: PackageResources.index_html))'; \
    connect-src 'self' ws: wss:; img-src http: https:; media-src http: https:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'
    """

  /// Names the content of the first element of a kind in a page, for its Content-Security-Policy.
  static func hash(of element: String, in page: [UInt8]) -> String {
    let text = String(decoding: page, as: UTF8.self)
    guard let tag = text.firstRange(of: "<\(element)"),
      let opening = text[tag.upperBound...].firstIndex(of: ">"),
      let closing = text[opening...].firstRange(of: "</\(element)>")
    else { return "none" }
    let content = Array(text[text.index(after: opening)..<closing.lowerBound].utf8)
    return "sha256-\(Base64.encode(EmbeddedDocument.digest(of: content)))"
  }
}
