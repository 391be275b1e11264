import Basics
import Testing

@testable import Configuration

@Suite("Setting values")
struct ValueTextTests {
  @Test("listeners have a numeric address or localhost")
  func listeners() {
    #expect(ListenAddress("127.0.0.1:8080") == .loopback(port: 8080))
    #expect(ListenAddress("LocalHost:1") == .loopback(port: 1))
    #expect(ListenAddress("[::]:0")?.description == "[::]:0")
    for text in ["chat.example.com:443", "a.localhost:80", "8080", ":8080", "[::1]", ""] {
      #expect(ListenAddress(text) == nil, "\(text)")
    }
  }

  @Test("texts for header fields are short and printable")
  func headerTexts() {
    #expect(HeaderText.read("Example/1.0 (+https://example.com)") != nil)
    for text in ["", " a", "a ", "a\r\nb", "\u{e4}", String(repeating: "a", count: 257)] {
      #expect(HeaderText.read(text) == nil)
    }
  }

  @Test("networks are an address and a valid prefix length")
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

  @Test("origins have only a scheme and a host")
  func origins() {
    #expect(OriginText.read("HTTPS://Example.com") == "https://example.com")
    #expect(OriginText.read("http://localhost:3000") == "http://localhost:3000")
    #expect(OriginText.read("http://[::1]:3000") == "http://[::1]:3000")
    #expect(OriginText.read("https://example.com:443") == "https://example.com:443")
    #expect(OriginText.read("null") == "null")
    #expect(OriginText.read("*") == "*")
    for text in [
      "", "example.com", "https://", "https://a/", "https://a/b", "**", "://a", "h s://a",
      "wss://a", "ws://a:80", "https://a:99999", "https://a:b", "https://:443",
      "https://::1", "https://[::1",
    ] {
      #expect(OriginText.read(text) == nil, "\(text)")
    }
  }

  @Test("the URL of the unfurler is an http or https URL with a host")
  func serviceURL() {
    #expect(ServiceURLText.read("https://unfurl.example:8443/v1?x=y") != nil)
    for text in ["", "unfurl", "ftp://a/", "http://", "http:///x", "http://a/#b", "file:///etc"] {
      #expect(ServiceURLText.read(text) == nil, "\(text)")
    }
  }

  @Test("similar names are suggested, dissimilar ones are not")
  func nearest() {
    let names = ["--listen", "--reactors", "--log-level"]
    #expect(NearestName.nearest(to: "--lisen", among: names) == "--listen")
    #expect(NearestName.nearest(to: "--loglevel", among: names) == "--log-level")
    #expect(NearestName.nearest(to: "--completely-different", among: names) == nil)
    #expect(NearestName.distance("kitten", "sitting") == 3)
    #expect(NearestName.distance("", "abc") == 3)
  }
}
