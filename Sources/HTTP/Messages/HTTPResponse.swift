/// Whether a connection serves another request after this one (RFC 9112 §9.3).
package enum ConnectionPersistence: Sendable, Hashable {
  /// The connection stays open.
  case keepAlive
  /// The connection closes after the response.
  case close
}

/// A response with its complete body.
package struct HTTPResponse: Sendable, Hashable {
  /// The status.
  package var status: HTTPStatus
  /// The fields; `Content-Length` and `Connection` are added on serializing.
  package var fields: HTTPFields
  /// The content, without transfer coding.
  package var body: [UInt8]
  /// The version of the sender.
  package var version = HTTPVersion.http11

  /// Makes a response.
  package init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Makes a response with a plain text body.
  package init(status: HTTPStatus, text: String, fields: HTTPFields = HTTPFields()) {
    self.init(status: status, fields: fields, body: Array(text.utf8))
    self.fields["Content-Type"] = "text/plain; charset=utf-8"
  }

  /// Makes the response that describes a client's error.
  package init(refusing error: HTTPError) {
    self.init(status: error.status, text: error.message + "\n")
  }

  /// The interim response that answers `Expect: 100-continue` (RFC 9110 §10.1.1).
  package static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Whether the sender lets the connection serve another request.
  package var shouldKeepAlive: Bool { version.keepsAlive(fields) }

  /// Appends the head and body.
  ///
  /// A `Content-Length` is added where the status allows a body, and `Connection: close` or
  /// `keep-alive` unless the status is 1xx.
  package func serialize(into bytes: inout [UInt8], for persistence: ConnectionPersistence) {
    serializeHead(into: &bytes, for: persistence)
    if !status.forbidsBody { bytes.append(contentsOf: body) }
  }

  /// Appends the head alone, as the answer to a HEAD request: the length is that of the body that GET
  /// would return.
  package func serializeHead(into bytes: inout [UInt8], for persistence: ConnectionPersistence) {
    serializeHead(into: &bytes, for: persistence, contentLength: Int64(body.count))
  }

  /// Appends the head alone, for content of this length that is sent separately.
  package func serializeHead(
    into bytes: inout [UInt8], for persistence: ConnectionPersistence, contentLength: Int64
  ) {
    var response = self
    if !status.forbidsBody { response.fields["Content-Length"] = String(contentLength) }
    response.serializeHeadOfUnknownLength(into: &bytes, for: persistence)
  }

  /// Appends the head alone, for content that ends with the connection or with its transfer coding.
  package func serializeHeadOfUnknownLength(
    into bytes: inout [UInt8], for persistence: ConnectionPersistence
  ) {
    var fields = fields
    if status.code >= 200 {
      fields["Connection"] = persistence == .keepAlive ? "keep-alive" : "close"
    }
    bytes.append(contentsOf: "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8)
    fields.serialize(into: &bytes)
    bytes.append(contentsOf: "\r\n".utf8)
  }
}
