import HTTP1
import ParleyProtocol
import Telemetry
import Transport

/// What plain HTTP requests get.
struct Routes {
  let node: Node
  let connection: Connection

  func respond(to head: HTTPRequestHead) -> HTTPResponse {
    let description = InterfaceDescription(rawValue: head.path)
    guard Self.paths.contains(head.path) || description != nil else {
      return HTTPResponse(refusing: .noSuchEndpoint(head.method, head.path))
    }
    guard head.method == "GET" || head.method == "HEAD" else {
      return HTTPResponse(
        status: .methodNotAllowed, text: "GET and HEAD only\n", fields: ["Allow": "GET, HEAD"])
    }
    return description?.response(to: head) ?? resource(head.path)
  }

  private static let paths: Set = ["/", "/healthz", "/readyz", "/metrics", "/favicon.ico"]

  private func resource(_ path: String) -> HTTPResponse {
    switch path {
    case "/": Page.response
    case "/healthz": HTTPResponse(status: .ok, text: "alive\n")
    case "/readyz": readiness
    case "/metrics": metrics
    default: HTTPResponse(status: .noContent)
    }
  }

  private var readiness: HTTPResponse {
    guard let reason = node.services.unreadiness else {
      return HTTPResponse(status: .ok, text: "ready\n")
    }
    return HTTPResponse(status: .serviceUnavailable, text: "not ready: \(reason)\n")
  }

  private var metrics: HTTPResponse {
    guard node.metricsListeners.contains(connection.listenerTag) else {
      return HTTPResponse(
        refusing: ServiceError(
          .noSuchEndpoint, "metrics are served on operations.listen, or on loopback without a proxy"
        ))
    }
    let text = node.services.metrics.render(with: node.services.samples)
    return HTTPResponse(
      status: .ok, fields: ["Content-Type": PrometheusText.contentType], body: Array(text.utf8))
  }
}
