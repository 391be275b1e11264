import LinkPreview
import Testing

@testable import Unfurler

@Suite("Redirect targets")
struct RedirectTargetTests {
  private func path(_ urls: String...) throws -> [WebURL] {
    try urls.map { try #require(WebURL($0)) }
  }

  @Test("a location is resolved against the redirecting page")
  func relative() throws {
    let path = try path("http://a.example/", "http://b.example/x/y?z")
    for (location, url) in [
      ("w", "http://b.example/x/w"), ("/w", "http://b.example/w"), ("?w", "http://b.example/x/y?w"),
      ("//c.example", "http://c.example/"), ("https://a.example/", "https://a.example/"),
    ] {
      let expected = try #require(WebURL(url))
      #expect(RedirectTarget(location, after: path, limit: 5) == .follow(expected), "\(location)")
    }
  }

  @Test("a location in another character set keeps its bytes")
  func characterSets() {
    #expect(ResponseHead.location(Array("/caf".utf8) + [0xe9]) == "/caf%E9")
    #expect(ResponseHead.location(Array("/café%20x y".utf8)) == "/caf%C3%A9%20x y")
    #expect(ResponseHead.location([0x2f, 0x83, 0x5c]) == "/%83\\")
  }

  @Test("a name in any script is a host")
  func names() throws {
    let path = try path("http://a.example/")
    let location = ResponseHead.location(Array("http://münchen.de/ä".utf8))
    let expected = try #require(WebURL("http://münchen.de/ä"))
    #expect(RedirectTarget(location, after: path, limit: 5) == .follow(expected))
  }

  @Test("the limit counts redirects, and a loop is detected whatever the fragment")
  func bounds() throws {
    let one = try path("http://a.example/")
    guard case .refuse(let tooMany) = RedirectTarget("/b", after: one, limit: 0),
      case .refuse(let circle) = RedirectTarget("#c", after: one, limit: 5)
    else {
      Issue.record("followed")
      return
    }
    #expect(tooMany.contains("too many redirects (1)"))
    #expect(circle.contains("in a circle"))
  }

  @Test("quoted text is short and printable")
  func quoted() throws {
    let one = try path("http://a.example/")
    let location = "ftp://\u{1b}[2J\u{202e}\n" + String(repeating: "x", count: 100_000)
    guard case .refuse(let reason) = RedirectTarget(location, after: one, limit: 5) else {
      Issue.record("followed")
      return
    }
    #expect(reason.utf8.count < 400)
    #expect(!reason.unicodeScalars.contains { $0.value < 0x20 })
  }
}
