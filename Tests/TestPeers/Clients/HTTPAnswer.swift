import HTTP1

/// What a server said to a request.
package struct HTTPAnswer: Sendable {
  /// The status code.
  package let status: UInt16
  /// The body as text.
  package let text: String

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
    var parser = HTTPResponseParser()
    while true {
      let bytes = try stream.read(deadline)
      let ended =
        bytes.isEmpty ? try parser.receiveEnd() : try parser.receive(bytes.span).response
      if let response = ended {
        status = response.status.code
        text = String(decoding: response.body, as: UTF8.self)
        return
      }
      guard !bytes.isEmpty else { throw TestFailure("the connection ended without an answer") }
    }
  }
}
