@testable import HTTP

/// Shakes hands with clients and servers that say anything.
///
/// The lines of the input are fields. What our own client asks, our own server grants, whatever
/// extensions and subprotocols others put beside.
enum WebSocketHandshakeHarness: Harness {
  static func run(_ input: [UInt8]) {
    let fields = fields(input)
    answer(fields)
    verify(fields)
    let text = String(decoding: input, as: UTF8.self)
    if let offer = ExtensionOffer(text) { precondition(!offer.name.isEmpty) }
    if input.count <= 125, let close = try? ClosePayload(decoding: input) {
      precondition(close.encoded == input, "a close frame does not read back")
    }
  }

  private static func fields(_ input: [UInt8]) -> HTTPFields {
    var fields = HTTPFields()
    for line in input.split(separator: 0x0a).prefix(20) {
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard parts.count == 2, HTTPSyntax.isToken(parts[0]) else { continue }
      let value = HTTPSyntax.trimmed(parts[1]).filter(HTTPSyntax.isFieldByte)
      fields.append(
        String(decoding: parts[0], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
    return fields
  }

  /// The server's side: own request, foreign fields.
  private static func answer(_ foreign: HTTPFields) {
    let client = ClientHandshake(
      target: "/v1/ws", host: "h", nonce: Array(repeating: 7, count: 16),
      subprotocols: ["parley.v1"], compression: PermessageDeflate.Offer())
    let server = ServerHandshake(
      subprotocols: ["parley.v1"], compression: PermessageDeflate.Policy())
    guard let granted = try? server.accept(client.request) else {
      preconditionFailure("our own request is refused")
    }
    guard let verified = try? client.verify(granted.response) else {
      preconditionFailure("our own answer is refused")
    }
    precondition(verified.compression != nil && verified.subprotocol == "parley.v1")
    var request = client.request
    for field in foreign { request.fields.append(field.name, field.value) }
    if let acceptance = try? server.accept(request) {
      precondition(acceptance.response.status == .switchingProtocols)
      var bytes: [UInt8] = []
      acceptance.serialize(into: &bytes)
      var parser = HTTPResponseParser()
      precondition((try? parser.receive(bytes.span).response) != nil, "the answer is no HTTP")
    }
  }

  /// The client's side: a server that answers with foreign fields.
  private static func verify(_ foreign: HTTPFields) {
    let client = ClientHandshake(
      target: "/", host: "h", nonce: Array(repeating: 7, count: 16), subprotocols: ["a", "b"],
      compression: PermessageDeflate.Offer())
    _ = try? client.verify(HTTPResponse(status: .switchingProtocols, fields: foreign))
    var fields: HTTPFields = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Accept": HandshakeKey.accept(for: "BwcHBwcHBwcHBwcHBwcHBw=="),
    ]
    precondition(
      (try? client.verify(HTTPResponse(status: .switchingProtocols, fields: fields))) != nil)
    for field in foreign { fields.append(field.name, field.value) }
    if let acceptance = try? client.verify(
      HTTPResponse(status: .switchingProtocols, fields: fields))
    {
      precondition(acceptance.subprotocol.map { ["a", "b"].contains($0) } ?? true)
    }
  }
}
