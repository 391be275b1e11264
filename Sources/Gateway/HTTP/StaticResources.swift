import Basics
import HTTP
import ParleyProtocol
import Telemetry
import Transport

/// The resources that are served from the binary and from memory.
enum StaticResources {
  /// The demonstration page for new users.
  static func page(_ call: ResourceCall) -> RequestOutcome {
    .respond(demonstration.response(to: call.head))
  }

  /// The API reference page, for people.
  static func apiPage(_ call: ResourceCall) -> RequestOutcome {
    .respond(apiReference.response(to: call.head))
  }

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

  /// The machine-readable description of the HTTP interface.
  static func openAPI(_ call: ResourceCall) -> RequestOutcome {
    .respond(openAPIDescription.response(to: call.head))
  }

  /// The machine-readable description of the WebSocket interface.
  static func asyncAPI(_ call: ResourceCall) -> RequestOutcome {
    .respond(asyncAPIDescription.response(to: call.head))
  }

  /// The client for browsers, under a name that later versions share.
  static func module(_ call: ResourceCall) -> RequestOutcome {
    .respond(clientModule.response(to: call.head))
  }

  /// A part of the client for browsers, or a module under a name that only its version has.
  static func clientFile(_ call: ResourceCall) -> RequestOutcome {
    let name = call.arguments["file_name"]
    let document = ClientFiles.parts[name] ?? call.shard.services.modules.document(named: name)
    return .respond(
      document?.response(to: call.head)
        ?? HTTPResponse(refusing: .noSuchEndpoint(call.head.method, call.head.path)))
  }

  /// The service worker that shows pushes in browsers.
  ///
  /// Its pages may be outside its folder, where a proxy serves the gateway below a path.
  static func pushWorker(_ call: ResourceCall) -> RequestOutcome {
    var response = serviceWorker.response(to: call.head)
    response.fields.append("Service-Worker-Allowed", "/")
    return .respond(response)
  }

  /// The types of the client for browsers.
  static func moduleTypes(_ call: ResourceCall) -> RequestOutcome {
    .respond(clientTypes.response(to: call.head))
  }

  private static let openAPIDescription = EmbeddedDocument(
    DocumentContent.openAPI, mediaType: "application/vnd.oai.openapi+json;version=3.1")
  private static let asyncAPIDescription = EmbeddedDocument(
    DocumentContent.asyncAPI, mediaType: "application/vnd.aai.asyncapi+json;version=3.0.0")
  private static let clientModule = EmbeddedDocument(
    DocumentContent.clientModule, mediaType: ClientFiles.scriptType)
  private static let serviceWorker = EmbeddedDocument(
    DocumentContent.pushWorker, mediaType: ClientFiles.scriptType)
  private static let clientTypes = EmbeddedDocument(
    DocumentContent.clientTypes, mediaType: ClientFiles.typesType)

  // Allows scripts of this server, such as the client for browsers. Files of users cannot run as
  // scripts: their types are not those of scripts, and browsers do not guess.
  private static let demonstration = EmbeddedPage(
    DocumentContent.demonstration, scripts: "'self' ", connections: "'self'",
    pictures: "http: https:")
  private static let apiReference = EmbeddedPage(
    DocumentContent.apiPage, scripts: "", connections: "'self'", pictures: "'none'")
}
