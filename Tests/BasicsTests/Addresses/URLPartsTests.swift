import Testing

@testable import Basics

@Suite("Parts of a URL")
struct URLPartsTests {
  @Test("a URL is split into its parts without decoding them")
  func parts() throws {
    let url = try #require(URLParts("HTTPS://u:p%20@Example.org:8443/a/b?x=1&y=%2F#top"))
    #expect(url.scheme == "https" && url.userInfo == "u:p%20" && url.host == "Example.org")
    #expect(url.port == 8443 && url.path == "/a/b" && url.query == "x=1&y=%2F")
    #expect(url.fragment == "top" && url.bareHost == "example.org")
    #expect(url.parameters?.map(\.name) == ["x", "y"])
    #expect(url.parameters?.map(\.value) == ["1", "/"])
  }

  @Test("missing parts are nil or empty")
  func missing() throws {
    let url = try #require(URLParts("http://[::1]"))
    #expect(url.host == "[::1]" && url.bareHost == "::1" && url.port == nil && url.path.isEmpty)
    #expect(url.userInfo == nil && url.query == nil && url.fragment == nil)
    #expect(url.parameters?.isEmpty == true)
    #expect(URLParts("http://a?x")?.parameters == nil)
    #expect(URLParts("http://a?#")?.query?.isEmpty == true)
  }

  @Test(
    "a text that is not a URL with a host is refused",
    arguments: [
      "", "a", "http:", "http:/a", "http://", "http:///a", "://a", "1://a", "h_p://a", "http://a b",
      "http://a\n", "http://ä", "http://a%2", "http://a%zz", "http://[::1", "http://[a]",
      "http://a:",
      "http://a:0", "http://a:65536", "http://a:-1", "http://a:b", "http://a:1:2", "http://a<b",
      "http://u@", "http://[::1]x",
    ])
  func refused(text: String) {
    #expect(URLParts(text) == nil)
  }
}
