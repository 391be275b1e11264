import Basics
import COpenSSL
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

  private static let openAPIDescription = InterfaceDescription(
    PackageResources.openapi_json, mediaType: "application/vnd.oai.openapi+json;version=3.1")
  private static let asyncAPIDescription = InterfaceDescription(
    PackageResources.asyncapi_json, mediaType: "application/vnd.aai.asyncapi+json;version=3.0.0")

  private static let pageResponse = HTTPResponse(
    status: .ok,
    fields: [
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": pagePolicy,
      "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    ], body: PackageResources.index_html)

  /// Nothing but the page's own style and script, which their hashes name.
  private static let pagePolicy = """
    default-src 'none'; style-src '\(hash(of: "style"))'; script-src '\(hash(of: "script"))'; \
    connect-src 'self' ws: wss:; img-src http: https:; media-src http: https:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'
    """

  private static func hash(of element: String) -> String {
    let text = String(decoding: PackageResources.index_html, as: UTF8.self)
    guard let opening = text.firstRange(of: "<\(element)>"),
      let closing = text[opening.upperBound...].firstRange(of: "</\(element)>")
    else { return "none" }
    let content = Array(text[opening.upperBound..<closing.lowerBound].utf8)
    return "sha256-\(contentHash(of: content))"
  }

  /// The SHA-256 of some content, in Base64.
  fileprivate static func contentHash(of content: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(content, content.count, &digest)
    return Base64.encode(digest)
  }
}

/// A description of an interface, served from the binary to anyone.
private struct InterfaceDescription: Sendable {
  private let content: [UInt8]
  private let mediaType: String
  private let entityTag: String

  init(_ content: [UInt8], mediaType: String) {
    self.content = content
    self.mediaType = mediaType
    entityTag = "\"\(StaticResources.contentHash(of: content))\""
  }

  /// Answers 304 without a body to a client that has this very version (RFC 9110 §13.1.2).
  func response(to head: HTTPRequestHead) -> HTTPResponse {
    // Pages of other origins may read them, so that viewers in a browser can.
    let fields: HTTPFields = [
      "Cache-Control": "public, max-age=300", "ETag": entityTag, "Access-Control-Allow-Origin": "*",
    ]
    if let known = head.fields["If-None-Match"], known == "*" || known.contains(entityTag) {
      return HTTPResponse(status: .notModified, fields: fields)
    }
    var response = HTTPResponse(status: .ok, fields: fields, body: content)
    response.fields.append("Content-Type", mediaType)
    response.fields.append("X-Content-Type-Options", "nosniff")
    return response
  }
}
