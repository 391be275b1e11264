import Basics
import COpenSSL

/// The server's side of the opening handshake (RFC 6455 §4.2).
package struct ServerHandshake: Sendable {
  /// An upgrade that the server accepts.
  package struct Acceptance: Sendable {
    /// The 101 response.
    package let response: HTTPResponse
    /// The chosen subprotocol, or `nil` if there is none.
    package let subprotocol: String?
    /// The agreed compression of messages; `nil` without one.
    package let compression: PermessageDeflate.Agreement?

    /// Appends the response in wire format.
    package func serialize(into bytes: inout [UInt8]) {
      response.serializeHead(into: &bytes, for: .keepAlive)
    }
  }

  private let subprotocols: [String]
  private let compression: PermessageDeflate.Policy?

  /// Makes the rules for the upgrades of one endpoint.
  ///
  /// - Parameters:
  ///   - subprotocols: The subprotocols that the server supports. The first of the client's that is
  ///     among them is chosen; without a common one the connection has no subprotocol.
  ///   - compression: The compression that the server accepts, or `nil` to decline all compression.
  package init(subprotocols: [String] = [], compression: PermessageDeflate.Policy? = nil) {
    self.subprotocols = subprotocols
    self.compression = compression
  }

  /// Checks a request, and makes the response that opens the connection.
  ///
  /// - Throws: ``HandshakeError``, whose ``HandshakeError/response`` refuses the upgrade.
  package func accept(_ head: HTTPRequestHead) throws(HandshakeError) -> Acceptance {
    let key = try Self.key(of: head)
    let subprotocol = try chooseSubprotocol(head.fields)
    let compression = try chooseCompression(head.fields)
    var fields = HTTPFields()
    fields.append("Upgrade", "websocket")
    fields.append("Connection", "Upgrade")
    fields.append("Sec-WebSocket-Accept", HandshakeKey.accept(for: key))
    if let subprotocol { fields.append("Sec-WebSocket-Protocol", subprotocol) }
    if let compression { fields.append("Sec-WebSocket-Extensions", compression.response) }
    return Acceptance(
      response: HTTPResponse(status: .switchingProtocols, fields: fields),
      subprotocol: subprotocol, compression: compression?.agreement)
  }

  /// Checks a request against §4.2.1, and returns its key.
  private static func key(of head: HTTPRequestHead) throws(HandshakeError) -> String {
    guard head.method == "GET" else { throw .wrongMethod(head.method) }
    guard head.fields.listContains("websocket", in: "Upgrade") else { throw .notAnUpgrade }
    guard head.version == .http11 else { throw .wrongVersion }
    guard head.fields.listContains("upgrade", in: "Connection") else {
      throw .noConnectionUpgrade
    }
    guard head.fields.values(of: "Sec-WebSocket-Version") == ["13"] else {
      throw .unsupportedVersion(head.fields["Sec-WebSocket-Version"])
    }
    let keys = head.fields.values(of: "Sec-WebSocket-Key")
    guard keys.count == 1, let key = keys.first, HandshakeKey.isValid(key) else {
      throw .invalidKey
    }
    return key
  }

  private func chooseSubprotocol(_ fields: HTTPFields) throws(HandshakeError) -> String? {
    let offered = fields.listValues(of: "Sec-WebSocket-Protocol")
    guard Set(offered).count == offered.count else {
      throw .malformedField("Sec-WebSocket-Protocol")
    }
    return offered.first(where: subprotocols.contains)
  }

  private func chooseCompression(
    _ fields: HTTPFields
  ) throws(HandshakeError) -> (agreement: PermessageDeflate.Agreement, response: String)? {
    let elements = fields.listValues(of: "Sec-WebSocket-Extensions")
    let offers = elements.compactMap(ExtensionOffer.init)
    guard offers.count == elements.count else {
      throw .malformedField("Sec-WebSocket-Extensions")
    }
    return compression?.choose(from: offers)
  }
}

/// `Sec-WebSocket-Key`, and the proof that a server understood it (RFC 6455 §1.3).
enum HandshakeKey {
  private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The value of `Sec-WebSocket-Accept` that answers `key`.
  static func accept(for key: String) -> String {
    let text = Array((key + identifier).utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(text, text.count, &digest)
    return Base64.encode(digest)
  }

  /// Whether `key` is the Base64 encoding of 16 bytes (RFC 6455 §4.2.1, item 5).
  static func isValid(_ key: String) -> Bool {
    key.utf8.count == 24 && key.hasSuffix("==") && key.utf8.dropLast(2).allSatisfy(isBase64)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default:
      false
    }
  }
}
