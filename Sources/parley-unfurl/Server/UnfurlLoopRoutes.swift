internal import Configuration
internal import HTTP
internal import Telemetry
internal import Transport
internal import Unfurler

/// The paths served by a preview server.
enum UnfurlLoopRoutes {
  typealias Table = Router<Void, Endpoint>
  typealias Endpoint = @Sendable (UnfurlLoop, Exchange) -> RequestOutcome

  static let table = Table(
    [
      .init(["POST"], "/", access: (), body: questions, ask),
      .init(["POST"], "/unfurl", access: (), body: questions, ask),
      .init(["GET"], "/healthz", access: (), health),
      .init(["GET"], "/readyz", access: (), readiness),
      .init(["GET"], "/metrics", access: (), metrics),
    ], elsewhere: ())

  private static let questions = BodyPolicy.whole(limit: UnfurlQuestion.maximumBytes)

  static func answer(_ exchange: Exchange, of server: UnfurlLoop) -> RequestOutcome {
    let head = exchange.head
    // Other upgrades, such as to HTTP/2, are offers that may be ignored (RFC 9110 §7.8).
    guard !head.fields.listContains("websocket", in: "Upgrade") else { return nothing(head) }
    switch table.match(head) {
    case .route(let route, _): return route.endpoint(server, exchange)
    case .nothing(.method(let allowed), _):
      let methods = allowed.joined(separator: ", ")
      return refuse("\(methods) only", .methodNotAllowed, ["Allow": methods])
    case .nothing(.path, _), .nothing(.encoding, _): return nothing(head)
    }
  }

  @Sendable private static func ask(_ server: UnfurlLoop, _ exchange: Exchange) -> RequestOutcome {
    // A page loaded by a browser that can reach the service must not be able to make it fetch.
    guard !exchange.head.fields.contains("Origin") else {
      server.metrics.count(.invalid)
      return refuse("requests of web pages are refused", .forbidden)
    }
    guard !exchange.head.hasCodedContent else {
      server.metrics.count(.invalid)
      return refuse(
        "the body must be sent without a Content-Encoding", .unsupportedMediaType,
        ["Accept-Encoding": "identity"])
    }
    guard server.drain == nil else {
      server.metrics.count(.busy)
      return .respond(HTTPResponse(.shuttingDown))
    }
    guard server.pendingCount < server.configuration.maximumPending else {
      server.metrics.count(.busy)
      return .respond(
        HTTPResponse(
          UnfurlAnswer(refusing: "too many links are waiting", status: 503), ["Retry-After": "1"]))
    }
    let body = exchange.request.body
    guard questions.admits(byteCount: body.count) else {
      server.metrics.count(.invalid)
      return refuse("the body is longer than 16 KiB", .contentTooLarge)
    }
    do {
      return server.ask(try UnfurlQuestion(json: body), for: exchange)
    } catch {
      server.metrics.count(.invalid)
      return refuse("\(error)", .badRequest)
    }
  }

  @Sendable private static func health(_ server: UnfurlLoop, _ exchange: Exchange) -> RequestOutcome
  {
    .respond(HTTPResponse(status: .ok, text: "alive\n"))
  }

  @Sendable private static func readiness(
    _ server: UnfurlLoop, _ exchange: Exchange
  ) -> RequestOutcome {
    .respond(
      server.drain == nil
        ? HTTPResponse(status: .ok, text: "ready\n")
        : HTTPResponse(status: .serviceUnavailable, text: "not ready: draining\n"))
  }

  @Sendable private static func metrics(
    _ server: UnfurlLoop, _ exchange: Exchange
  ) -> RequestOutcome {
    let text = PrometheusText.render(
      server.metrics.samples(pending: server.pendingCount)
        + ProcessMetrics.samples(version: Release.version))
    return .respond(
      HTTPResponse(
        status: .ok, fields: ["Content-Type": PrometheusText.contentType], body: Array(text.utf8)))
  }

  private static func nothing(_ head: HTTPRequestHead) -> RequestOutcome {
    refuse("there is no \(shown(head.method)) \(shown(head.path))", .notFound)
  }

  private static func refuse(
    _ reason: String, _ status: HTTPStatus, _ fields: HTTPFields = HTTPFields()
  ) -> RequestOutcome {
    let answer = UnfurlAnswer(refusing: reason, status: Int(status.code))
    return .respond(HTTPResponse(answer, fields))
  }

  private static func shown(_ text: String) -> String {
    text.count > 80 ? text.prefix(80) + "…" : text
  }
}

extension HTTPResponse {
  /// Creates a response of the service, with additional fields.
  init(_ answer: UnfurlAnswer, _ fields: HTTPFields = HTTPFields()) {
    var fields = fields
    fields["Content-Type"] = "application/json"
    if let cacheControl = answer.cacheControl { fields["Cache-Control"] = cacheControl }
    self.init(
      status: HTTPStatus(UInt16(clamping: answer.status)), fields: fields, body: answer.body)
  }
}
