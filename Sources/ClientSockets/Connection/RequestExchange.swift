internal import ClientTransport
internal import HTTP

/// One request on its own connection, and the response.
struct RequestExchange {
  let bytes: [UInt8]
  /// Milliseconds from the first byte of the request to the last byte of the response.
  let timeout: Int64
  let complete: (Result<HTTPResponse, ConnectionFailure>) -> Void
  private var parser: HTTPResponseParser

  /// - Parameter plan: The connection to the server, with the request target.
  init(
    _ request: ClientRequest, by plan: ConnectionPlan,
    completion: @escaping (Result<HTTPResponse, ConnectionFailure>) -> Void
  ) {
    var head = HTTPRequestHead(method: request.method, target: plan.server.target)
    head.fields.append("Host", plan.server.hostField)
    head.fields.append("Connection", "close")
    for field in plan.fields { head.fields.append(field.name, field.value) }
    for (name, value) in request.fields { head.fields.append(name, value) }
    var bytes: [UInt8] = []
    HTTPRequest(head: head, body: request.body).serialize(into: &bytes)
    self.bytes = bytes
    timeout = request.timeout.timeout
    complete = completion
    parser = HTTPResponseParser(answering: request.method == "HEAD" ? .head : .other)
  }

  /// Parses bytes up to the end of the response.
  mutating func receive(_ input: Span<UInt8>) throws(ConnectionFailure) -> HTTPResponse? {
    do throws(HTTPError) {
      return try parser.receive(input).response
    } catch {
      throw ConnectionFailure(.lasting, "the server's answer is no HTTP: \(error.message)")
    }
  }

  /// Handles a connection that ended before the response.
  mutating func receiveEnd(because reason: String) -> ConnectionFailure {
    ConnectionFailure(.temporary, "within a request: \(reason)")
  }
}
