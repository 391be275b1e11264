import HTTP
import Testing

@Suite("Requests and responses")
struct HTTPMessageTests {
  @Test(
    "a target is split into path and query",
    arguments: [
      ("/", "/", nil), ("/a%20b?c=d?e", "/a%20b", "c=d?e"), ("/a?", "/a", ""),
      ("http://host/a?b", "/a", "b"), ("http://host", "/", nil), ("http://host?q", "/", "q"),
      ("*", "*", nil), ("/x:/y://z", "/x:/y://z", nil),
    ] as [(String, String, String?)])
  func target(target: String, path: String, query: String?) {
    let head = HTTPRequestHead(target: target)
    #expect(head.path == path)
    #expect(head.query == query)
  }

  @Test("HTTP/1.1 keeps the connection unless asked to close, HTTP/1.0 the other way round")
  func persistence() {
    let close: HTTPFields = ["Connection": "foo, Close"]
    let keep: HTTPFields = ["Connection": "Keep-Alive"]
    #expect(HTTPRequestHead(target: "/").shouldKeepAlive)
    #expect(!HTTPRequestHead(target: "/", fields: close).shouldKeepAlive)
    #expect(!HTTPRequestHead(target: "/", version: .http10).shouldKeepAlive)
    #expect(HTTPRequestHead(target: "/", version: .http10, fields: keep).shouldKeepAlive)
  }

  @Test("a response is serialized with its length and its Connection field")
  func response() {
    var bytes: [UInt8] = []
    HTTPResponse(status: .ok, fields: ["A": "b"], body: Array("hey".utf8))
      .serialize(into: &bytes, for: .keepAlive)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nhey")
  }

  @Test("the response to HEAD has the length and no body")
  func head() {
    var bytes: [UInt8] = []
    HTTPResponse(status: .notFound, body: Array("hey".utf8)).serializeHead(
      into: &bytes, for: .close)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
  }

  @Test("statuses without a body get no length", arguments: [101, 204, 304] as [UInt16])
  func bodiless(code: UInt16) {
    var bytes: [UInt8] = []
    HTTPResponse(status: HTTPStatus(code), body: [1]).serialize(into: &bytes, for: .close)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("Content-Length"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test("a request is serialized with its length")
  func request() {
    var bytes: [UInt8] = []
    let head = HTTPRequestHead(method: "POST", target: "/x", fields: ["Host": "h"])
    HTTPRequest(head: head, body: [0x61]).serialize(into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na")
  }
}
