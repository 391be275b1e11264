import HTTP
import Testing

@Suite("RFC 6455 §4.2: the server's handshake")
struct ServerHandshakeTests {
  private var head: HTTPRequestHead {
    HTTPRequestHead(
      target: "/chat",
      fields: [
        "Host": "server.example.com", "Upgrade": "websocket",
        "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "chat, superchat", "Sec-WebSocket-Version": "13",
      ])
  }

  private func error(
    _ change: (inout HTTPRequestHead) -> Void
  ) -> HandshakeError? {
    var head = head
    change(&head)
    do throws(HandshakeError) {
      _ = try ServerHandshake().accept(head)
      return nil
    } catch {
      return error
    }
  }

  @Test("the example of §1.3 is accepted")
  func example() throws {
    let acceptance = try ServerHandshake(subprotocols: ["superchat", "chat"]).accept(head)
    #expect(acceptance.subprotocol == "chat")
    #expect(acceptance.compression == nil)
    var bytes: [UInt8] = []
    acceptance.serialize(into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        HTTP/1.1 101 Switching Protocols\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
        Sec-WebSocket-Protocol: chat\r
        \r\n
        """)
  }

  @Test("without a subprotocol in common the connection opens without one")
  func noSubprotocol() throws {
    let acceptance = try ServerHandshake(subprotocols: ["other"]).accept(head)
    #expect(acceptance.subprotocol == nil)
    #expect(!acceptance.response.fields.contains("Sec-WebSocket-Protocol"))
  }

  @Test("compression is accepted when offered and allowed")
  func compression() throws {
    var head = head
    head.fields.append("Sec-WebSocket-Extensions", "x, permessage-deflate")
    let handshake = ServerHandshake(compression: PermessageDeflate.Policy())
    let acceptance = try handshake.accept(head)
    #expect(acceptance.compression?.serverNoContextTakeover == true)
    #expect(acceptance.response.fields.contains("Sec-WebSocket-Extensions"))
    #expect(try ServerHandshake().accept(head).compression == nil)
  }

  @Test("each missing requirement has its error, status and message")
  func errors() {
    #expect(error { $0.method = "POST" } == .wrongMethod("POST"))
    #expect(error { $0.version = .http10 } == .wrongVersion)
    #expect(error { $0.fields["Upgrade"] = nil } == .notAnUpgrade)
    #expect(error { $0.fields["Upgrade"] = "h2c" } == .notAnUpgrade)
    #expect(error { $0.fields["Connection"] = "keep-alive" } == .noConnectionUpgrade)
    #expect(error { $0.fields["Sec-WebSocket-Version"] = nil } == .unsupportedVersion(nil))
    #expect(error { $0.fields["Sec-WebSocket-Version"] = "8" } == .unsupportedVersion("8"))
    #expect(
      error { $0.fields["Sec-WebSocket-Extensions"] = "a b" }
        == .malformedField("Sec-WebSocket-Extensions"))
    #expect(
      error { $0.fields["Sec-WebSocket-Protocol"] = "a, a" }
        == .malformedField("Sec-WebSocket-Protocol"))
  }

  @Test(
    "the key must be 16 bytes in Base64",
    arguments: [
      "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ==x", "dGhlIHNhbXBsZSBub25jZQQ=",
      "dGhlIHNhbXBsZSBub25jZ!==", "dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==",
    ])
  func keys(key: String) {
    #expect(error { $0.fields["Sec-WebSocket-Key"] = key } == .invalidKey)
    #expect(error { $0.fields.append("Sec-WebSocket-Key", key) } == .invalidKey)
  }

  @Test("refusals contain what the client should do")
  func responses() {
    #expect(HandshakeError.wrongMethod("PUT").response.status == .methodNotAllowed)
    #expect(HandshakeError.wrongMethod("PUT").response.fields["Allow"] == "GET")
    let version = HandshakeError.unsupportedVersion("8").response
    #expect(version.status == .upgradeRequired)
    #expect(version.fields["Sec-WebSocket-Version"] == "13")
    #expect(!version.body.isEmpty)
    #expect(HandshakeError.invalidKey.response.status == .badRequest)
  }
}
