package import HTTP
package import TestSupport

/// What a server said to a request.
package struct HTTPAnswer: Sendable {
  /// The status code.
  package let status: UInt16
  /// The head's fields.
  package let fields: HTTPFields
  /// The body.
  package let body: [UInt8]
  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// Sends a request on a connection of its own, and waits for the answer.
  package init(
    _ method: String = "GET", to path: String, fields: [(String, String)] = [],
    body: [UInt8] = [], over stream: any ByteStream, _ deadline: Deadline = .standard
  ) throws {
    var head = HTTPRequestHead(
      method: method, target: path, fields: ["Host": "localhost", "Connection": "close"])
    for (name, value) in fields { head.fields.append(name, value) }
    var request: [UInt8] = []
    HTTPRequest(head: head, body: body).serialize(into: &request)
    try stream.write(request, deadline)
    try self.init(reading: stream, deadline)
  }

  /// Waits for an answer to what was sent before.
  package init(reading stream: any ByteStream, _ deadline: Deadline = .standard) throws {
    var parser = HTTPResponseParser(limits: HTTPLimits(bodyBytes: 100_000_000))
    while true {
      let bytes = try stream.read(deadline)
      let ended =
        bytes.isEmpty ? try parser.receiveEnd() : try parser.receive(bytes.span).response
      if let response = ended {
        status = response.status.code
        fields = response.fields
        body = response.body
        return
      }
      guard !bytes.isEmpty else { throw TestFailure("the connection ended without an answer") }
    }
  }
}
