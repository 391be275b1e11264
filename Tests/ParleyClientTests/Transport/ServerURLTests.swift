import Basics
import TestSupport
import Testing

@testable import ClientTransport
@testable import ParleyClient

@Suite("URLs of servers and proxies", .onOwnThreads)
struct ServerURLTests {
  @Test(
    "a server's URL contains host, port and target",
    arguments: [
      ("ws://example.org", "example.org", 80, "/v1/ws", "example.org"),
      ("wss://Example.ORG", "example.org", 443, "/v1/ws", "example.org"),
      ("ws://127.0.0.1:8080/", "127.0.0.1", 8080, "/v1/ws", "127.0.0.1:8080"),
      ("wss://a.b:8443/chat/ws?x=1", "a.b", 8443, "/chat/ws?x=1", "a.b:8443"),
      ("ws://a.b?x=1", "a.b", 80, "/v1/ws?x=1", "a.b"),
      ("ws://[::1]:9/", "::1", 9, "/v1/ws", "[::1]:9"),
      ("wss://[2001:db8::1]", "2001:db8::1", 443, "/v1/ws", "[2001:db8::1]"),
      ("WS://localhost:80", "localhost", 80, "/v1/ws", "localhost"),
    ] as [(String, String, UInt16, String, String)])
  func server(url: String, host: String, port: UInt16, target: String, field: String) throws {
    let server = try ServerURL(url)
    #expect(server.host == host)
    #expect(server.port == port)
    #expect(server.target == target)
    #expect(server.hostField == field)
    #expect(server.security == (url.lowercased().hasPrefix("wss") ? .tls : .plain))
  }

  @Test(
    "an invalid server URL is refused",
    arguments: [
      "", "a.b", "ws:/a.b", "://a.b", "http://a.b", "ws://", "ws:///path", "ws://:80",
      "ws://a b", "ws://a.b:", "ws://a.b:0", "ws://a.b:65536", "ws://a.b:+1", "ws://a.b:8x",
      "ws://u@a.b", "ws://u:p@a.b", "ws://a@b@c", "ws://[::1", "ws://[]", "ws://[::1]x",
      "ws://::1", "ws://a.b#f", "ws://a.b/#f", "ws://ä.b", "ws://a\r\nb", "ws://a.b/\u{7f}",
      "ws://" + String(repeating: "a", count: 254),
      "ws://a.b/" + String(repeating: "x", count: 3000),
    ])
  func refusedServer(url: String) {
    #expect {
      _ = try ServerURL(url)
    } throws: { error in
      if case .invalidConfiguration? = error as? ConnectionPlanError { true } else { false }
    }
  }

  @Test("a proxy's user and password become Basic credentials (RFC 7617 §2)")
  func proxy() throws {
    let proxy = try ProxyURL("http://Aladdin:open%20sesame@proxy.test:3128")
    #expect(proxy.host == "proxy.test")
    #expect(proxy.port == 3128)
    #expect(proxy.authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(try ProxyURL("http://proxy.test/").authorization == nil)
    #expect(try ProxyURL("http://proxy.test").port == 80)
  }

  @Test(
    "an invalid proxy URL is refused, and its password is not shown",
    arguments: [
      "https://proxy", "http://proxy/path", "http://user@proxy", "http://u:secret%@proxy",
      "http://u:secret%+1@proxy", "http://u:secret%0a@proxy", "ftp://u:secret@proxy",
      "http://u:secret@proxy:0",
    ])
  func refusedProxy(url: String) {
    #expect {
      _ = try ProxyURL(url)
    } throws: { error in
      guard case .invalidConfiguration(let text)? = error as? ConnectionPlanError else {
        return false
      }
      return !text.contains("secret")
    }
  }

  @Test(
    "Base64 follows RFC 4648 §10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func base64(text: String, encoded: String) {
    #expect(Base64.encode(Array(text.utf8)) == encoded)
  }
}
