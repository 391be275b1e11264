internal import ClientTransport
internal import HTTP

/// One request on its own connection, and the response in parts.
struct RequestExchange {
  let bytes: [UInt8]
  /// Milliseconds from the first byte of the request to the last byte of the response.
  let timeout: Int64
  /// Receives the parts.
  let deliver: (ResponsePart) -> Void
  private var parser: HTTPResponseParser
  private var hasHead = false

  /// - Parameter plan: The connection to the server, with the request target.
  init(
    _ request: ClientRequest, by plan: ConnectionPlan,
    deliver: @escaping (ResponsePart) -> Void
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
    self.deliver = deliver
    // A body is passed on as it arrives, so its receiver bounds it.
    parser = HTTPResponseParser(
      limits: HTTPLimits(bodyBytes: .max), answering: request.method == "HEAD" ? .head : .other)
  }

  /// Parses bytes up to the end of the response.
  mutating func receive(_ input: Span<UInt8>) throws(ConnectionFailure) -> [ResponsePart] {
    do throws(HTTPError) {
      return parts(completing: try parser.receive(input).response)
    } catch {
      throw ConnectionFailure(.lasting, "the server's answer is no HTTP: \(error.message)")
    }
  }

  /// Handles the end of the connection, which completes a response without a declared length.
  mutating func receiveEnd(because reason: String) -> [ResponsePart] {
    guard let response = try? parser.receiveEnd() else {
      return [.failed(ConnectionFailure(.temporary, "within a request: \(reason)"))]
    }
    return parts(completing: response)
  }

  /// - Parameter response: The response without the pieces that were taken, if it is complete.
  private mutating func parts(completing response: HTTPResponse?) -> [ResponsePart] {
    guard let head = response ?? parser.head else { return [] }
    var parts: [ResponsePart] = []
    if !hasHead { parts.append(.head(ClientResponse(head))) }
    hasHead = true
    let piece = response?.body ?? parser.takePiece()
    if !piece.isEmpty { parts.append(.body(piece)) }
    if response != nil { parts.append(.end) }
    return parts
  }
}

extension ClientResponse {
  /// The status and the fields of a response.
  fileprivate init(_ head: HTTPResponse) {
    self.init(
      status: Int(head.status.code),
      fields: head.fields.map { ClientResponse.Field($0.name, $0.value) })
  }
}
