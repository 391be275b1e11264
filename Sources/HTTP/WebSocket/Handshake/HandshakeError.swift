/// The reason why an opening handshake failed.
package enum HandshakeError: Error, Sendable, Hashable {
  /// The method is not GET.
  case wrongMethod(String)
  /// The request uses HTTP/1.0.
  case wrongVersion
  /// There is no `Upgrade: websocket`.
  case notAnUpgrade
  /// `Connection` does not contain `Upgrade`.
  case noConnectionUpgrade
  /// `Sec-WebSocket-Version` is missing or not 13.
  case unsupportedVersion(String?)
  /// `Sec-WebSocket-Key` is missing, repeated or not the Base64 encoding of 16 bytes.
  case invalidKey
  /// `Sec-WebSocket-Protocol` or `Sec-WebSocket-Extensions` is malformed.
  case malformedField(String)
  /// The server answered with a status other than 101.
  case refused(HTTPStatus)
  /// The server's `Sec-WebSocket-Accept` does not match the key.
  case wrongAccept
  /// The server chose a subprotocol that was not offered.
  case unexpectedSubprotocol(String)
  /// The server chose an extension, or a parameter, that was not offered.
  case unexpectedExtension(String)

  /// The status that a server answers with; 502 where the server made the error.
  package var status: HTTPStatus {
    switch self {
    case .wrongMethod: .methodNotAllowed
    case .notAnUpgrade, .unsupportedVersion: .upgradeRequired
    case .wrongVersion, .noConnectionUpgrade, .invalidKey, .malformedField: .badRequest
    case .refused, .wrongAccept, .unexpectedSubprotocol, .unexpectedExtension: .badGateway
    }
  }

  /// The response with which a server refuses the upgrade.
  package var response: HTTPResponse {
    var response = HTTPResponse(status: status, text: description + "\n")
    switch self {
    case .wrongMethod:
      response.fields["Allow"] = "GET"
    case .notAnUpgrade, .unsupportedVersion:
      response.fields["Upgrade"] = "websocket"
      response.fields["Sec-WebSocket-Version"] = "13"
    case .wrongVersion, .noConnectionUpgrade, .invalidKey, .malformedField, .refused, .wrongAccept,
      .unexpectedSubprotocol, .unexpectedExtension:
      break
    }
    return response
  }
}

extension HandshakeError: CustomStringConvertible {
  /// A message for the user who opened the URL.
  package var description: String {
    switch self {
    case .wrongMethod(let method):
      "A WebSocket is opened with GET, not \(method.prefix(32))."
    case .wrongVersion: "A WebSocket is opened with HTTP/1.1."
    case .notAnUpgrade:
      "This is a WebSocket endpoint: open it with a WebSocket client, not with a browser's "
        + "address bar."
    case .noConnectionUpgrade:
      "The Connection header does not say Upgrade; a proxy in between may have removed it."
    case .unsupportedVersion(let version):
      "The WebSocket version must be 13, not \(version.map { $0.prefix(32) } ?? "missing")."
    case .invalidKey: "The Sec-WebSocket-Key must be 16 bytes in Base64, once."
    case .malformedField(let name): "The \(name) header is malformed."
    case .refused(let status): "The server answered \(status)."
    case .wrongAccept: "The server's Sec-WebSocket-Accept does not answer the key."
    case .unexpectedSubprotocol(let name):
      "The server chose a subprotocol that was not offered: \(name.prefix(64))."
    case .unexpectedExtension(let text):
      "The server chose an extension that was not offered: \(text.prefix(64))."
    }
  }
}
