import LinkPreview
import Testing

@Suite("Domains from text")
struct DomainTests {
  @Test("domains are stored in lower case, as ASCII")
  func domains() throws {
    #expect(try Domain("Example.COM").name == "example.com")
    #expect(try Domain("m\u{fc}nchen.de").name == "xn--mnchen-3ya.de")
    #expect(try Domain("*.example.com") == Domain("example.com"))
  }

  @Test(
    "invalid domains are refused",
    arguments: [
      "", ".", "a..b", ".example.com", "https://example.com", "example.com/path",
      "user@example.com", "example.com:80", "10.0.0.1", "::1", "a b.com", "*", "%61.com",
    ])
  func badDomains(text: String) {
    #expect(throws: DomainTextError.self) { try Domain(text) }
  }
}
