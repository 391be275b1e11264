import ParleyProtocol
import Testing

@Suite("JSON-RPC 2.0, requests")
struct RPCInputTests {
  private func input(_ text: String) -> RPCInput { RPCInput(Array(text.utf8)) }

  private func request(_ text: String) throws -> RPCRequest {
    guard case .single(.request(let request)) = input(text) else {
      throw Unexpected(text: text)
    }
    return request
  }

  /// What would be answered to a text in which nothing is right.
  private func replies(_ text: String) -> [String] {
    func reply(_ call: RPCCall) -> String? {
      guard case .invalid(let id, let error) = call else { return nil }
      return "\(error.code.rawValue) \(id?.json ?? "null")"
    }
    return switch input(text) {
    case .single(let call): [call].compactMap(reply)
    case .batch(let calls): calls.compactMap(reply)
    case .malformed(let error): ["\(error.code.rawValue) null"]
    }
  }

  private struct Unexpected: Error { var text: String }

  @Test("a request has id, method and params (§7)")
  func plainRequest() throws {
    let request = try request(
      #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42}, "id": 3}"#)
    #expect(request.id?.json == "3")
    #expect(request.method == "subtract")
    #expect(request.params?["minuend"]?.integer == 42)
  }

  @Test(
    "a request without an ID, or with a null ID, is a notification",
    arguments: ["", #","id":null"#])
  func notification(_ id: String) throws {
    let request = try request(#"{"jsonrpc":"2.0","method":"foobar"\#(id)}"#)
    #expect(request.id == nil)
    #expect(request.params == nil)
  }

  @Test(
    "an id is repeated exactly as it was written",
    arguments: [
      "1", "-1", "0", "1.0", "1e3", "123456789012345678901234567890", #""a""#, #""""#,
      #""\u0041\n""#, #""é""#,
    ])
  func identifiers(_ id: String) throws {
    #expect(try request(#"{"jsonrpc":"2.0","method":"m","id": \#(id) }"#).id?.json == id)
  }

  @Test(
    "an ID of another type is an invalid request, answered with a null ID",
    arguments: ["1.5", "true", "[]", "{}", "[1]", "1e400"])
  func otherIdentifiers(_ id: String) {
    #expect(replies(#"{"jsonrpc":"2.0","method":"m","id":\#(id)}"#) == ["-32600 null"])
  }

  @Test(
    "an invalid request is answered with its ID if it is readable",
    arguments: [
      (#"{"jsonrpc":"2.0","id":7}"#, "-32600 7"),
      (#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "-32600 null"),
      (#"{"jsonrpc":"1.0","method":"m","id":"x"}"#, #"-32600 "x""#),
      (#"{"method":"m","id":1}"#, "-32600 1"),
      (#"{"jsonrpc":2.0,"method":"m","id":1}"#, "-32600 1"),
      (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "-32600 1"),
      ("1", "-32600 null"), ("null", "-32600 null"), (#""m""#, "-32600 null"),
      ("{}", "-32600 null"),
    ])
  func invalidRequests(_ text: String, _ reply: String) {
    #expect(replies(text) == [reply])
  }

  @Test(
    "input that is not JSON is a parse error with a null ID (§7)",
    arguments: [
      #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, "",
      #"[{"jsonrpc":"2.0","method":"sum","params":[1,2,4]},{"jsonrpc":"2.0","method"]"#,
      #""id":1"#, #"{"params":{"id":1}"#, #"{"id""#, #"{"id":"#, #"{"id":1"#, #"{"id":"a"#,
      #"{"id":-,"#,
      #"{"id":[1],"a"}"#, #"{"id":"\ud83d","a"}"#, #"{"id":1,"id":1,}"#, #"{"id":{},"id":1,}"#,
      #"{"a":"id":1}"#, #"{"\"id":1,}"#, #"[[{"id":1}]"#, #"["id":1"#, #"{"id" 1,}"#,
    ])
  func parseErrors(_ text: String) {
    #expect(replies(text) == ["-32700 null"])
  }

  @Test(
    "a request that is not JSON is answered with its ID if it is readable",
    arguments: [
      (#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"message":"cut \ud83d"}}"#, "1"),
      (#"{"method":"m","params":{"message":"cut \ud83d"},"id" : "a\"b" }"#, #""a\"b""#),
      (#" {"params":{"id":2,"a":[{"id":3}]},"id":4,"method":m}"#, "4"),
      (#"{"id":5,"method":"not finished"#, "5"),
      (#"{"id":-6,"text":"\"},{\"id\":7}"#, "-6"), (#"{"id":8}}"#, "8"),
    ])
  func readableIdentifiers(_ text: String, _ id: String) {
    #expect(replies(text) == ["-32700 \(id)"])
  }

  @Test("each request of a batch that is not JSON is answered with its ID")
  func refusedBatch() {
    let cut = #"{"jsonrpc":"2.0","id":2,"method":"m","params":["\ud83d"]}"#
    let notification = #"{"jsonrpc":"2.0","method":"m"}"#
    #expect(
      replies(
        #"[{"jsonrpc":"2.0","method":"sum","params":[{"id":7}],"id":"1"},\#(notification),\#(cut)]"#
      )
        == [#"-32700 "1""#, "-32700 2"])
    let calls = [String](repeating: cut, count: 101).joined(separator: ",")
    #expect(replies("[\(calls)]") == ["-32700 null"])
  }

  @Test("JSON that is too deep or ambiguous is an invalid request")
  func unacceptableJSON() {
    #expect(replies(text(40, "[") + text(40, "]")) == ["-32600 null"])
    #expect(replies(#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#) == ["-32600 null"])
    let deep = text(40, "[") + text(40, "]")
    #expect(replies(#"{"jsonrpc":"2.0","method":"m","params":\#(deep),"id":3}"#) == ["-32600 3"])
    #expect(replies(#"{"id":4,"method":"m","params":{"a":1,"a":2}}"#) == ["-32600 4"])
    let many = [String](repeating: "0", count: 20_001).joined(separator: ",")
    #expect(replies(#"{"id":5,"method":"m","params":[\#(many)]}"#) == ["-32600 5"])
  }

  @Test("an empty batch is an invalid request (§7)")
  func emptyBatch() {
    #expect(replies("[]") == ["-32600 null"])
  }

  @Test("a batch of invalid values is answered item by item (§7)")
  func nonsenseBatch() {
    #expect(replies("[1,2,3]") == [String](repeating: "-32600 null", count: 3))
  }

  @Test("a mixed batch keeps its order (§7)")
  func mixedBatch() throws {
    let batch = input(
      #"""
      [{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},
       {"jsonrpc":"2.0","method":"notify_hello","params":[7]}, {"foo":"boo"},
       {"jsonrpc":"2.0","method":"foo.get","params":{"name":"myself"},"id":"5"},
       {"jsonrpc":"2.0","method":"get_data","id":"9"}]
      """#)
    guard case .batch(let calls) = batch else { throw Unexpected(text: "no batch") }
    let shown = calls.map { call in
      switch call {
      case .request(let request): "\(request.method) \(request.id?.json ?? "-")"
      case .invalid(let id, let error): "\(error.code.rawValue) \(id?.json ?? "null")"
      }
    }
    #expect(
      shown == [#"sum "1""#, "notify_hello -", "-32600 null", #"foo.get "5""#, #"get_data "9""#])
  }

  @Test("a batch contains at most 100 calls")
  func batchLimit() {
    let call = #"{"jsonrpc":"2.0","method":"m"}"#
    let calls = [String](repeating: call, count: 100)
    #expect(replies("[\(calls.joined(separator: ","))]").isEmpty)
    #expect(replies("[\((calls + [call]).joined(separator: ","))]") == ["-32600 null"])
  }
}
