import Channels
import HTTP
import ParleyProtocol

/// The responses to requests about event streams, with the fields that let pages of allowed origins read
/// them.
struct StreamResponses: Sendable {
  private static let methods = ["GET", "POST", "DELETE", "OPTIONS"]

  private let lastFields: CrossOriginFields

  init(to head: HTTPRequestHead, allowedOrigins: [String]) {
    lastFields = CrossOriginFields(for: head, admitsAll: allowedOrigins.contains("*"))
  }

  /// The response with an answer of the shard that has the stream.
  func response(to answer: StreamAnswer) -> HTTPResponse {
    switch answer {
    case .accepted: json(HTTPStatus(202), Array("{}".utf8))
    case .closed: finished(HTTPResponse(status: .noContent))
    case .events: events(compressed: false)
    case .gone:
      refusal(
        ServiceError(
          .notFound, "the stream has ended, or events were dropped: open another one and recover"),
        HTTPStatus(410))
    case .unknown: refusal(ServiceError(.notFound, "there is no such stream"), .notFound)
    case .refused(let error): refusal(error)
    }
  }

  /// The response that opens a stream.
  func opened(_ address: String, result: [UInt8]) -> HTTPResponse {
    json(
      .created,
      JSONWriter.bytes {
        $0.object {
          $0.member("stream", address)
          $0.member("result", raw: result)
        }
      })
  }

  /// The head of a response that carries events.
  func events(compressed: Bool) -> HTTPResponse {
    var response = HTTPResponse(
      status: .ok,
      fields: [
        "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no",
      ])
    if compressed { response.fields.append("Content-Encoding", "gzip") }
    response.fields.append("Vary", "Accept-Encoding")
    return finished(response, caching: "no-store, no-transform")
  }

  func options() -> HTTPResponse {
    finished(
      HTTPResponse(
        status: .noContent,
        fields: [
          "Access-Control-Allow-Methods": Self.methods.joined(separator: ", "),
          "Access-Control-Allow-Headers": "Content-Type, Last-Event-ID, Cache-Control",
          "Access-Control-Max-Age": "86400",
        ]))
  }

  func refusal(_ error: ServiceError, _ status: HTTPStatus? = nil) -> HTTPResponse {
    var response = HTTPResponse(refusing: error)
    if let status { response.status = status }
    return finished(response)
  }

  func refusal(ofMethod method: String, allowed: [String]) -> HTTPResponse {
    finished(HTTPResponse(refusing: method, allowed: allowed))
  }

  private func json(_ status: HTTPStatus, _ body: [UInt8]) -> HTTPResponse {
    finished(
      HTTPResponse(status: status, fields: ["Content-Type": "application/json"], body: body))
  }

  private func finished(_ response: HTTPResponse, caching: String = "no-store") -> HTTPResponse {
    var response = response
    lastFields.append(to: &response, caching: caching, exposing: "Retry-After")
    return response
  }
}
