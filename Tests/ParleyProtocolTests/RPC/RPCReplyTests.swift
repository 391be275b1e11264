import ParleyProtocol
import Testing

@Suite("JSON-RPC 2.0, replies")
struct RPCReplyTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("a result is written after its request's ID")
  func result() throws {
    let id = try #require(RPCIdentifier(try node(#""\u0061""#)))
    let written = text(RPCReply.result(Array(#"{"a":1}"#.utf8), to: id))
    #expect(written == #"{"jsonrpc":"2.0","id":"\u0061","result":{"a":1}}"#)
  }

  @Test("an error without a readable ID has a null ID")
  func error() {
    let written = text(RPCReply.error(.invalidRequest("no"), to: nil))
    #expect(
      written == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{}}}"#)
  }

  @Test("the replies to a batch are one array")
  func batch() {
    let written = text(RPCReply.batch([Array("{}".utf8), Array("{}".utf8)]))
    #expect(written == "[{},{}]")
  }

  @Test("replies and events are parsed by the other side")
  func output() throws {
    var bytes = RPCReply.result(Array(#"{"a":1}"#.utf8), to: RPCIdentifier(7))
    guard case .reply(let id, .success(let result)) = try RPCOutput.parse(bytes).first else {
      Issue.record("no result")
      return
    }
    #expect(id == RPCIdentifier(7))
    #expect(result["a"]?.integer == 1)

    bytes = RPCReply.error(.notInChannel("lobby"), to: nil)
    guard case .reply(nil, .failure(let error)) = try RPCOutput.parse(bytes).first else {
      Issue.record("no error")
      return
    }
    #expect(error == .notInChannel("lobby"))
  }

  @Test("a batch of replies is read one by one")
  func outputBatch() throws {
    let outputs = try RPCOutput.parse(
      Array(
        #"[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","method":"m","params":{}}]"#.utf8
      ))
    #expect(outputs.count == 2)
    guard case .notification("m", .some) = outputs.last else {
      Issue.record("no notification")
      return
    }
  }

  @Test(
    "input that is neither a reply nor an event is refused",
    arguments: ["1", "{}", #"{"jsonrpc":"2.0","result":{}}"#, #"{"id":1,"error":{}}"#, "{"])
  func refused(_ text: String) {
    #expect(throws: JSONError.self) { try RPCOutput.parse(Array(text.utf8)) }
  }
}
