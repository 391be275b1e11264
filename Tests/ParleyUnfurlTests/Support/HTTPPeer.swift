import HTTP
import TestPeers
import TestSupport

/// A client that speaks HTTP on one connection.
final class HTTPPeer {
  private let socket: StreamSocket
  private var received: [UInt8] = []

  init(port: UInt16) throws { socket = try StreamSocket(port: port) }

  /// Posts a body and waits for the answer.
  func post(_ json: String, to path: String = "/") throws -> HTTPResponse {
    try sendPost(json, to: path)
    return try readResponse()
  }

  func sendPost(_ json: String, to path: String = "/", fields: HTTPFields = HTTPFields()) throws {
    try send("POST", path, fields: fields, body: Array(json.utf8))
  }

  /// Makes a request without a body and waits for the answer.
  func request(
    _ method: String = "GET", _ path: String, fields: HTTPFields = HTTPFields()
  ) throws -> HTTPResponse {
    try send(method, path, fields: fields, body: [])
    return try readResponse(answering: method == "HEAD" ? .head : .other)
  }

  private func send(_ method: String, _ path: String, fields: HTTPFields, body: [UInt8]) throws {
    var head = HTTPRequestHead(method: method, target: path, fields: fields)
    head.fields["Host"] = "localhost"
    var bytes: [UInt8] = []
    HTTPRequest(head: head, body: body).serialize(into: &bytes)
    try socket.write(bytes, .standard)
  }

  func readResponse(answering kind: HTTPRequestKind = .other) throws -> HTTPResponse {
    var parser = HTTPResponseParser(answering: kind)
    while true {
      let input = received
      let (consumed, response) = try parser.receive(input.span)
      received.removeFirst(consumed)
      if let response { return response }
      let bytes = try socket.read(.standard)
      guard !bytes.isEmpty else { throw TestFailure("the connection ended without an answer") }
      received += bytes
    }
  }

  /// Whether the server ends the connection without another word.
  func seesEnd() throws -> Bool {
    guard received.isEmpty else { return false }
    return try socket.read(.standard).isEmpty
  }

  func close() { socket.close() }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}
