import HTTP
import TestSupport
import Testing

@Suite("Query parameters and path segments")
struct QueryParametersTests {
  @Test("pairs are decoded, a plus sign is a space, and the last value of a name counts")
  func pairs() throws {
    let query = try #require(QueryParameters("a=1&b=x+y%2Bz&empty=&bare&a=2&%C3%A4=%F0%9F%8E%88"))
    #expect(query["a"] == "2")
    #expect(query["b"] == "x y+z")
    #expect(query["empty"] == "")
    #expect(query["bare"] == "")
    #expect(query["ä"] == "🎈")
    #expect(query["missing"] == nil)
  }

  @Test("a value may contain equals signs and complete URLs")
  func values() throws {
    let query = try #require(QueryParameters("url=https%3A%2F%2Fa.b%2F%3Fc%3Dd%26e&x=a=b"))
    #expect(query["url"] == "https://a.b/?c=d&e")
    #expect(query["x"] == "a=b")
  }

  @Test("without a query there are no parameters")
  func none() {
    #expect(QueryParameters(nil)?["a"] == nil)
    #expect(QueryParameters("&&")?[""] == nil)
  }

  @Test("malformed encodings are refused", arguments: ["a=%", "a=%4", "a=%zz", "%=1", "a=%ff"])
  func broken(query: String) {
    #expect(QueryParameters(query) == nil)
  }

  @Test("segments are decoded individually")
  func segments() {
    let head = HTTPRequestHead(target: "/v3/open_channels/a%2Fb/%ED%95%9C?x=/y")
    #expect(head.pathSegments == ["v3", "open_channels", "a/b", "한"])
    #expect(HTTPRequestHead(target: "/").pathSegments == [])
    #expect(HTTPRequestHead(target: "*").pathSegments == ["*"])
    #expect(HTTPRequestHead(target: "http://a.example").pathSegments == [])
    #expect(HTTPRequestHead(target: "/%").pathSegments == nil)
    #expect(HTTPRequestHead(target: "/%80").pathSegments == nil)
  }

  @Test("a missing segment is empty")
  func emptySegments() {
    #expect(HTTPRequestHead(target: "/users//token").pathSegments == ["users", "", "token"])
    #expect(HTTPRequestHead(target: "/users/").pathSegments == ["users", ""])
    #expect(HTTPRequestHead(target: "//users").pathSegments == ["", "users"])
  }

  @Test("any bytes are either decoded or refused")
  func property() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let length = Int.random(in: 0...40, using: &generator)
      let text = String(
        (0..<length).map { _ in "%aF0=&+/é".randomElement(using: &generator) ?? "%" })
      let names = QueryParameters(text)
      if !text.contains("%") { #expect(names != nil, "seed 7: \(text)") }
      _ = HTTPRequestHead(target: "/" + text).pathSegments
    }
  }
}
