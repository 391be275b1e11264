import HTTP1
import Telemetry
import Transport
import Unfurler

/// What requests to a preview server get.
struct FrontRoutes {
  /// How long a look-up may take when the question does not say, in milliseconds.
  static let standardTimeout: Int64 = 5_000

  let front: Front
  let connection: Connection

  private enum Resource {
    case questions, health, readiness, metrics

    init?(path: String) {
      switch path {
      case "/", "/unfurl": self = .questions
      case "/healthz": self = .health
      case "/readyz": self = .readiness
      case "/metrics": self = .metrics
      default: return nil
      }
    }

    var methods: [String] { self == .questions ? ["POST"] : ["GET", "HEAD"] }
  }

  func outcome(of request: HTTPRequest) -> RequestOutcome {
    let head = request.head
    // Other upgrades, such as to HTTP/2, are offers that may be passed over (RFC 9110 §7.8).
    guard let resource = Resource(path: head.path),
      !head.fields.listContains("websocket", in: "Upgrade")
    else {
      return refuse("there is no \(shown(head.method)) \(shown(head.path))", .notFound)
    }
    guard resource.methods.contains(head.method) else {
      let allowed = resource.methods.joined(separator: ", ")
      return refuse("\(allowed) only", .methodNotAllowed, ["Allow": allowed])
    }
    switch resource {
    case .questions: return ask(request.body)
    case .health: return .respond(HTTPResponse(status: .ok, text: "alive\n"))
    case .readiness: return .respond(readiness)
    case .metrics: return .respond(metrics)
    }
  }

  private func ask(_ body: [UInt8]) -> RequestOutcome {
    guard front.drain == nil else {
      front.metrics.count(.busy)
      return .respond(HTTPResponse(.shuttingDown))
    }
    guard front.pendingCount < front.configuration.maximumPending else {
      front.metrics.count(.busy)
      return .respond(
        HTTPResponse(
          UnfurlAnswer(refusing: "too many links are waiting", status: 503), ["Retry-After": "1"]))
    }
    guard body.count <= UnfurlQuestion.maximumBytes else {
      front.metrics.count(.invalid)
      return refuse("the body is longer than 16 KiB", .contentTooLarge)
    }
    do {
      return front.ask(try UnfurlQuestion(json: body), for: connection)
    } catch {
      front.metrics.count(.invalid)
      return refuse("\(error)", .badRequest)
    }
  }

  private func refuse(
    _ reason: String, _ status: HTTPStatus, _ fields: HTTPFields = HTTPFields()
  ) -> RequestOutcome {
    let answer = UnfurlAnswer(refusing: reason, status: Int(status.code))
    return .respond(HTTPResponse(answer, fields))
  }

  private var readiness: HTTPResponse {
    front.drain == nil
      ? HTTPResponse(status: .ok, text: "ready\n")
      : HTTPResponse(status: .serviceUnavailable, text: "not ready: draining\n")
  }

  private var metrics: HTTPResponse {
    let text = PrometheusText.render(
      front.metrics.samples(pending: front.pendingCount) + ProcessMetrics.samples())
    return HTTPResponse(
      status: .ok, fields: ["Content-Type": PrometheusText.contentType], body: Array(text.utf8))
  }

  private func shown(_ text: String) -> String {
    text.count > 80 ? text.prefix(80) + "…" : text
  }
}

extension HTTPResponse {
  /// An answer of the service's, with fields of its own.
  init(_ answer: UnfurlAnswer, _ fields: HTTPFields = HTTPFields()) {
    var fields = fields
    fields["Content-Type"] = "application/json"
    if let cacheControl = answer.cacheControl { fields["Cache-Control"] = cacheControl }
    self.init(
      status: HTTPStatus(UInt16(clamping: answer.status)), fields: fields, body: answer.body)
  }
}
