/// An HTTP request, sent through the same proxies and with the same trust as a WebSocket.
package struct ClientRequest: Sendable {
  package var method: String
  /// The header fields; names are tokens.
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  /// The time limit after the server is reached.
  package var timeout: Duration = .seconds(60)

  package init(_ method: String) {
    self.method = method
  }
}

/// The whole response to a request.
package struct ClientResponse: Sendable, Hashable {
  /// 100 to 999.
  package var status: Int
  /// The header fields in order; their names have any case.
  package var fields: [Field] = []
  package var body: [UInt8] = []

  /// A header field of a response.
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the first field with a name, in any case; `nil` if there is none.
  package subscript(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }

  /// The milliseconds that the server asks a client to wait, if given in seconds
  /// (RFC 9110 §10.2.3); a date is ignored.
  package var retryAfter: Int64? { self["Retry-After"].flatMap(Self.retryAfter) }

  /// Parses the value of `Retry-After`.
  package static func retryAfter(_ text: String) -> Int64? {
    guard text.utf8.count <= 9, !text.isEmpty,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text).map { $0 * 1000 }
  }
}
