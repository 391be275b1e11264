import Bytes
import Testing

@testable import Configuration

@Suite("Values of settings")
struct ValueTextTests {
  @Test(
    "addresses that are understood",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", UInt16(8080)), ("[::]:0", "::", 0),
      ("[fe80::1]:65535", "fe80::1", 65535), ("chat.example.com:443", "chat.example.com", 443),
      ("localhost:80", "localhost", 80),
    ])
  func addresses(text: String, host: String, port: UInt16) {
    #expect(SocketAddressText(text) == SocketAddressText(host: host, port: port))
    #expect(SocketAddressText(text)?.description == text)
  }

  @Test(
    "addresses that are not",
    arguments: [
      "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1",
      "1.2.3:80", "256.1.1.1:80", "::1:80", "[127.0.0.1]:80", "[::1]", "[::1:80", "a b:80",
      "-a:80", "a..b:80", "http://a:80", "tcp://127.0.0.1:80",
    ])
  func badAddresses(text: String) {
    #expect(SocketAddressText(text) == nil)
  }

  @Test("what is loopback and what is not")
  func loopback() throws {
    for text in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[0:0::1]:1", "LocalHost:1"] {
      #expect(try #require(SocketAddressText(text)).isLoopback, "\(text)")
    }
    for text in ["0.0.0.0:1", "[::]:1", "128.0.0.1:1", "[::2]:1", "127.example.com:1", "a:1"] {
      #expect(try #require(SocketAddressText(text)).isLoopback == false, "\(text)")
    }
  }

  @Test("domains are kept in lower case")
  func domains() {
    #expect(DomainText("Example.COM")?.name == "example.com")
    #expect(DomainText("m\u{fc}nchen.de")?.name == "m\u{fc}nchen.de")
  }

  @Test(
    "what is no domain",
    arguments: [
      "", ".", "a..b", ".example.com", "example.com.", "*.example.com", "https://example.com",
      "example.com/path", "user@example.com", "example.com:80", "10.0.0.1", "::1", "a b.com",
    ])
  func badDomains(text: String) {
    #expect(DomainText(text) == nil)
  }

  @Test("texts for header fields are short and visible")
  func headerTexts() {
    #expect(HeaderText.read("Example/1.0 (+https://example.com)") != nil)
    for text in ["", " a", "a ", "a\r\nb", "\u{e4}", String(repeating: "a", count: 257)] {
      #expect(HeaderText.read(text) == nil)
    }
  }

  @Test("networks are an address and as many bits as it can have")
  func networks() throws {
    #expect(try Network(parsing: "10.0.0.0/8").description == "10.0.0.0/8")
    #expect(try Network(parsing: "fd00::/8").prefixLength == 8)
    #expect(try Network(parsing: "192.168.1.1").prefixLength == 32)
    #expect(try Network(parsing: "::1").prefixLength == 128)
    for text in [
      "", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0/8", "a/8", "10.0.0.0/8/8", "10.1.2.3/8",
    ] {
      #expect(throws: NetworkTextError.self, "\(text)") { try Network(parsing: text) }
    }
  }

  @Test("ports are numbers or ranges that do not run backwards")
  func ports() {
    #expect(PortRangeText.read("443") == 443...443)
    #expect(PortRangeText.read("1-65535") == 1...65535)
    for text in ["", "0", "65536", "9-8", "1-", "-1", "1-2-3", "http"] {
      #expect(PortRangeText.read(text) == nil, "\(text)")
    }
  }

  @Test("origins have a scheme and a host and nothing behind")
  func origins() {
    #expect(OriginText.read("HTTPS://Example.com") == "https://example.com")
    #expect(OriginText.read("http://localhost:3000") == "http://localhost:3000")
    #expect(OriginText.read("http://[::1]:3000") == "http://[::1]:3000")
    #expect(OriginText.read("null") == "null")
    #expect(OriginText.read("*") == "*")
    for text in [
      "", "example.com", "https://", "https://a/", "https://a/b", "**", "://a", "h s://a",
    ] {
      #expect(OriginText.read(text) == nil, "\(text)")
    }
  }

  @Test("the unfurler is an http or https URL with a host")
  func serviceURL() {
    #expect(ServiceURLText.read("https://unfurl.example:8443/v1?x=y") != nil)
    for text in ["", "unfurl", "ftp://a/", "http://", "http:///x", "http://a/#b", "file:///etc"] {
      #expect(ServiceURLText.read(text) == nil, "\(text)")
    }
  }

  @Test("near names are found, far ones are not")
  func nearest() {
    let names = ["--listen", "--reactors", "--log-level"]
    #expect(NearestName.nearest(to: "--lisen", among: names) == "--listen")
    #expect(NearestName.nearest(to: "--loglevel", among: names) == "--log-level")
    #expect(NearestName.nearest(to: "--completely-different", among: names) == nil)
    #expect(NearestName.distance("kitten", "sitting") == 3)
    #expect(NearestName.distance("", "abc") == 3)
  }
}
