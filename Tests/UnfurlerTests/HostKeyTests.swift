import LinkPreview
import Testing

@testable import Unfurler

@Suite("Host keys")
struct HostKeyTests {
  @Test(
    "a link's host is read with its labels in reverse",
    arguments: [
      ("https://www.example.com/a.b/c", "com.example.www."),
      ("http://example.com:8080/?x=a.b:c", "com.example."),
      ("https://localhost/", "localhost."),
      ("http://192.0.2.7:81/", "192.0.2.7."),
      ("http://[2001:db8::1]:81/x", "[2001:db8::1]."),
      ("https://bücher.example/", "example.xn--bcher-kva."),
    ])
  func links(url: String, key: String) throws {
    #expect(HostKey(try #require(Link(url))).text == key)
  }

  @Test(
    "a domain covers itself and its subdomains, and nothing else",
    arguments: [
      ("example.com", "https://example.com/", true),
      ("example.com", "https://a.b.example.com:444/x", true),
      ("EXAMPLE.com.", "https://www.example.com/", true),
      ("bücher.example", "https://www.xn--bcher-kva.example/", true),
      ("com", "https://example.com/", true),
      ("example.com", "https://example.com.evil.net/", false),
      ("example.com", "https://notexample.com/", false),
      ("example.com", "https://com/", false),
      ("example.com", "https://x.net/example.com", false),
      ("www.example.com", "https://example.com/", false),
      ("192.0.2.7", "http://192.0.2.7/", true),
      ("192.0.2.7", "http://192.0.2.70/", false),
      ("[::1]", "http://[::1]/", true),
    ])
  func domains(domain: String, url: String, isCovered: Bool) throws {
    let domain = try #require(HostKey(domain: domain))
    let host = HostKey(try #require(Link(url)))
    #expect(domain.covers(host) == isCovered)
    #expect((domain.text <= host.text && host.text < domain.upperBound) == isCovered)
  }

  @Test(
    "text that is not a host covers nothing",
    arguments: ["", "a b", "a/b", "a?b", "a#b", "a:81", "u@a", "a..b", "%", "*.example.com", "'"])
  func malformed(domain: String) throws {
    #expect(HostKey(domain: domain) == nil)
    #expect(!CacheScope(.domain(domain)).covers(try Previews.link("", host: "a")))
  }
}
