import Basics
import LinkPreview
import Testing

@Suite("Domain policy")
struct DomainPolicyTests {
  private func host(_ text: String) throws -> Host {
    try #require(WebURL("http://\(text)/")).host
  }

  @Test("a domain matches itself and its subdomains, but no similar name")
  func covering() throws {
    let domains = try DomainSet(["example.com", "a.b.example.org"])
    for name in ["example.com", "www.example.com", "a.b.c.example.com", "a.b.example.org"] {
      #expect(domains.domain(covering: name) != nil, "\(name)")
    }
    for name in ["notexample.com", "com", "example.com.evil", "b.example.org", "example.org", ""] {
      #expect(domains.domain(covering: name) == nil, "\(name)")
    }
  }

  @Test("names are normalized before they are compared")
  func normalForm() throws {
    let domains = try DomainSet(["BÜCHER.example", "Example.COM.", "*.wild.example"])
    #expect(domains.domain(covering: "xn--bcher-kva.example") == "xn--bcher-kva.example")
    #expect(domains.domain(covering: "www.example.com") == "example.com")
    #expect(domains.domain(covering: "wild.example") == "wild.example")
    let policy = DomainPolicy(denied: domains)
    for name in ["bücher.example", "www.bücher.example.", "xn--bcher-kva.example", "EXAMPLE.com"] {
      #expect(policy.refusal(of: try host(name)) != nil, "\(name)")
    }
  }

  @Test(
    "an invalid domain is refused and named",
    arguments: [
      "", ".", "*", "*.", "a b.example", "http://example.com", "example.com/x", "example.com:80",
      "user@example.com", "127.0.0.1", "0x7f.1", "[::1]", "%65xample.com", "a..b", "*.*.example",
      "xn--\u{fffd}", String(repeating: "a", count: 64),
    ])
  func noDomain(text: String) {
    #expect(throws: DomainTextError.self) { try DomainSet([text]) }
  }

  @Test("denied takes precedence over opted out, and both over allowed")
  func order() throws {
    let policy = DomainPolicy(
      allowed: try DomainSet(["example"]), denied: try DomainSet(["bad.example"]),
      optedOut: try DomainSet(["shy.example", "bad.example"]))
    #expect(policy.refusal(of: try host("ok.example")) == nil)
    #expect(
      policy.refusal(of: try host("www.bad.example")) == "the domain bad.example is denied")
    #expect(
      policy.refusal(of: try host("shy.example"))
        == "the domain shy.example has opted out of previews")
    #expect(
      policy.refusal(of: try host("example.net"))
        == "example.net is not among the allowed domains")
  }

  @Test("an IP address matches no domain list")
  func addresses() throws {
    let open = DomainPolicy(denied: try DomainSet(["example.com"]))
    #expect(open.refusal(of: try host("192.0.2.1")) == nil)
    let closed = DomainPolicy(allowed: try DomainSet(["example.com"]))
    #expect(
      closed.refusal(of: try host("192.0.2.1"))
        == "192.0.2.1 is not among the allowed domains")
    #expect(closed.refusal(of: try host("[2001:db8::1]")) != nil)
  }
}
