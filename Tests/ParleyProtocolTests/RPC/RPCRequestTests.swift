import ParleyProtocol
import Testing

@Suite("JSON-RPC 2.0, requests of a client")
struct RPCRequestTests {
  @Test("a request is read by the server as it was written")
  func request() {
    let bytes = RPCRequest.encoded(id: RPCIdentifier(7), method: "channel.get") {
      $0.member("channel_url", "lobby")
    }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"jsonrpc":"2.0","id":7,"method":"channel.get","params":{"channel_url":"lobby"}}"#)
    guard case .single(.request(let request)) = RPCInput(bytes) else {
      Issue.record("no request")
      return
    }
    #expect(request.id == RPCIdentifier(7))
    #expect(request.params?["channel_url"]?.string == "lobby")
  }

  @Test("a notification has no id")
  func notification() {
    let bytes = RPCRequest.encoded(id: nil, method: "session.ping") { _ in }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"session.ping","params":{}}"#)
  }
}
