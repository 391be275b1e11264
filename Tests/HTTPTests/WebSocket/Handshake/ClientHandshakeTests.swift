@testable import HTTP
import Testing

@Suite("RFC 6455 §4.1: the client's handshake")
struct ClientHandshakeTests {
  private let handshake = ClientHandshake(
    target: "/chat", host: "h", nonce: Array("the sample nonce".utf8),
    subprotocols: ["chat", "superchat"], compression: PermessageDeflate.Offer(),
    fields: ["Origin": "http://o"])

  private func error(_ change: (inout HTTPResponse) -> Void) throws -> HandshakeError? {
    var response = try answer()
    change(&response)
    do throws(HandshakeError) {
      _ = try handshake.verify(response)
      return nil
    } catch {
      return error
    }
  }

  private func answer() throws -> HTTPResponse {
    let server = ServerHandshake(
      subprotocols: ["superchat"], compression: PermessageDeflate.Policy(contexts: .kept))
    return try server.accept(handshake.request).response
  }

  @Test("writes the request of §1.3")
  func request() {
    let fields = handshake.request.fields
    #expect(handshake.request.method == "GET")
    #expect(fields["Sec-WebSocket-Key"] == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(fields["Sec-WebSocket-Version"] == "13")
    #expect(fields["Sec-WebSocket-Protocol"] == "chat, superchat")
    #expect(fields["Origin"] == "http://o")
  }

  @Test("agrees with a server over the wire")
  func wire() throws {
    var bytes: [UInt8] = []
    handshake.request.serialize(into: &bytes)
    var requests = HTTPRequestParser()
    guard case .request(let request)? = try requests.receive(bytes.span).event else {
      Issue.record("no request")
      return
    }
    let server = ServerHandshake(
      subprotocols: ["superchat"], compression: PermessageDeflate.Policy(contexts: .kept))
    var answer: [UInt8] = []
    try server.accept(request.head).serialize(into: &answer)
    var responses = HTTPResponseParser()
    let response = try #require(try responses.receive(answer.span).response)
    let acceptance = try handshake.verify(response)
    #expect(acceptance.subprotocol == "superchat")
    #expect(acceptance.compression == PermessageDeflate.Agreement())
  }

  @Test("refuses a response that does not match its request")
  func refusals() throws {
    #expect(try error { _ in } == nil)
    #expect(try error { $0.status = .ok } == .refused(.ok))
    #expect(try error { $0.fields["Upgrade"] = nil } == .notAnUpgrade)
    #expect(try error { $0.fields["Connection"] = nil } == .noConnectionUpgrade)
    #expect(try error { $0.fields["Sec-WebSocket-Accept"] = "x" } == .wrongAccept)
    #expect(
      try error { $0.fields["Sec-WebSocket-Protocol"] = "x" } == .unexpectedSubprotocol("x"))
    #expect(
      try error { $0.fields["Sec-WebSocket-Extensions"] = "x" } == .unexpectedExtension("x"))
  }
}
