import Basics
import TestSupport
import Testing

@Suite("Hosts with a port")
struct EndpointTests {
  @Test(
    "valid addresses are parsed",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", UInt16(8080)), ("[::]:0", "::", 0),
      ("[fe80::1]:65535", "fe80::1", 65535), ("chat.example.com:443", "chat.example.com", 443),
      ("localhost:80", "localhost", 80),
    ])
  func addresses(text: String, host: String, port: UInt16) {
    #expect(
      Endpoint(text) == Endpoint(host: IPAddress(host).map(Host.address) ?? .name(host), port: port)
    )
    #expect(Endpoint(text)?.description == text)
  }

  @Test(
    "invalid addresses are refused",
    arguments: [
      "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1",
      "1.2.3:80", "256.1.1.1:80", "::1:80", "[127.0.0.1]:80", "[::1]", "[::1:80", "a b:80",
      "-a:80", "a..b:80", "http://a:80", "tcp://127.0.0.1:80",
    ])
  func badAddresses(text: String) {
    #expect(Endpoint(text) == nil)
  }

  @Test("loopback addresses are recognized")
  func loopback() throws {
    for text in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[0:0::1]:1", "LocalHost:1"] {
      #expect(try #require(Endpoint(text)).isLoopback, "\(text)")
    }
    for text in ["0.0.0.0:1", "[::]:1", "128.0.0.1:1", "[::2]:1", "127.example.com:1", "a:1"] {
      #expect(try #require(Endpoint(text)).isLoopback == false, "\(text)")
    }
  }

  @Test(
    "a parsed text is written in a form that parses to the same value", arguments: UInt64(1)...60)
  func roundTrip(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = ["[", "]", ":", "::1", "1", "127.0.0.1", "a", "-", ".", "80", "0", "é", "\0", "/"]
    for _ in 0..<200 {
      let text = (0..<Int.random(in: 1...6, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      guard let endpoint = Endpoint(text) else { continue }
      #expect(Endpoint(endpoint.description) == endpoint, "\(text)")
    }
  }

  @Test("a text is split after its closing bracket, or at its last colon")
  func splitting() {
    func split(_ text: String) -> [String]? {
      HostAndPort(splitting: Array(text.utf8)[...]).map { parts in
        [String(decoding: parts.host, as: UTF8.self)]
          + (parts.port.map { [String(decoding: $0, as: UTF8.self)] } ?? [])
      }
    }
    #expect(split("") == [""])
    #expect(split("a") == ["a"])
    #expect(split("a:") == ["a", ""])
    #expect(split("a:b:c") == ["a:b", "c"])
    #expect(split("[::1]") == ["[::1]"])
    #expect(split("[::1]:80") == ["[::1]", "80"])
    #expect(split("[::1]80") == nil)
  }
}
