import TestSupport
import Testing

@testable import ClientTransport
@testable import ParleyClient

@Suite("Origins of addresses", .onOwnThreads)
struct WebOriginTests {
  @Test("a WebSocket URL has the origin of the corresponding HTTP URL, with the scheme's port")
  func isThatOfHTTP() throws {
    let origin = try #require(WebOrigin(ofServer: "wss://Chat.example/v1/ws"))
    for url in ["https://chat.example", "https://CHAT.example:443/x?y", "HTTPS://chat.example/"] {
      #expect(WebOrigin(ofRequest: url) == origin, "\(url)")
    }
    for url in ["http://chat.example", "https://chat.example:444", "https://other.example"] {
      #expect(try #require(WebOrigin(ofRequest: url)) != origin, "\(url)")
    }
    #expect(WebOrigin(ofServer: "ws://[::1]:9") == WebOrigin(ofRequest: "http://[::1]:9/x"))
  }

  @Test("a URL of another kind has no origin, nor does one with a user name")
  func isMissing() {
    for url in ["https://chat.example", "ws://u@chat.example", "ws://", ""] {
      #expect(WebOrigin(ofServer: url) == nil, "\(url)")
    }
    for url in ["wss://chat.example", "https://u@chat.example", "https://u:p@chat.example", "x"] {
      #expect(WebOrigin(ofRequest: url) == nil, "\(url)")
    }
  }
}
