import Basics

/// The client's side of the opening handshake (RFC 6455 §4.1).
package struct ClientHandshake: Sendable {
  /// A connection that the server has opened.
  package struct Acceptance: Sendable {
    /// The subprotocol that the server chose, or `nil`.
    package let subprotocol: String?
    /// The agreed compression of messages; `nil` without one.
    package let compression: PermessageDeflate.Agreement?
  }

  /// The request to send.
  package let request: HTTPRequestHead
  private let key: String
  private let subprotocols: [String]
  private let compression: PermessageDeflate.Offer?

  /// Makes the request.
  ///
  /// - Parameters:
  ///   - target: The path and query, beginning with `/`.
  ///   - host: The value of `Host`, with the port unless it is the default.
  ///   - nonce: 16 random bytes that were never used before.
  ///   - subprotocols: The subprotocols that the client supports, in order of preference.
  ///   - compression: The client's offer, or `nil` for no compression.
  ///   - fields: Additional fields, such as for authorization or an origin.
  package init(
    target: String, host: String, nonce: [UInt8], subprotocols: [String] = [],
    compression: PermessageDeflate.Offer? = nil, fields: HTTPFields = HTTPFields()
  ) {
    precondition(nonce.count == 16, "a handshake's nonce has 16 bytes")
    key = Base64.encode(nonce)
    self.subprotocols = subprotocols
    self.compression = compression
    var head = HTTPRequestHead(target: target)
    head.fields.append("Host", host)
    head.fields.append("Upgrade", "websocket")
    head.fields.append("Connection", "Upgrade")
    head.fields.append("Sec-WebSocket-Version", "13")
    head.fields.append("Sec-WebSocket-Key", key)
    if !subprotocols.isEmpty {
      head.fields.append("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))
    }
    if let compression { head.fields.append("Sec-WebSocket-Extensions", compression.text) }
    for field in fields { head.fields.append(field.name, field.value) }
    request = head
  }

  /// Checks the server's response.
  ///
  /// - Throws: ``HandshakeError``; close the connection.
  package func verify(_ response: HTTPResponse) throws(HandshakeError) -> Acceptance {
    let fields = response.fields
    guard response.status == .switchingProtocols else { throw .refused(response.status) }
    guard fields.listContains("websocket", in: "Upgrade") else { throw .notAnUpgrade }
    guard fields.listContains("upgrade", in: "Connection") else { throw .noConnectionUpgrade }
    guard fields.values(of: "Sec-WebSocket-Accept") == [HandshakeKey.accept(for: key)] else {
      throw .wrongAccept
    }
    let chosen = fields.values(of: "Sec-WebSocket-Protocol")
    if let unexpected = chosen.first(where: { !subprotocols.contains($0) }) {
      throw .unexpectedSubprotocol(unexpected)
    }
    guard chosen.count <= 1 else { throw .malformedField("Sec-WebSocket-Protocol") }
    return Acceptance(subprotocol: chosen.first, compression: try agreement(fields))
  }

  private func agreement(
    _ fields: HTTPFields
  ) throws(HandshakeError) -> PermessageDeflate.Agreement? {
    let elements = fields.listValues(of: "Sec-WebSocket-Extensions")
    guard let element = elements.first else { return nil }
    guard elements.count == 1, let response = ExtensionOffer(element),
      let agreement = compression?.agreement(from: response)
    else { throw .unexpectedExtension(elements.joined(separator: ", ")) }
    return agreement
  }
}
