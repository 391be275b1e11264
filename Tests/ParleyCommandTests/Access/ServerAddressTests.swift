import Testing

@testable import parley

@Suite("A gateway's address")
struct ServerAddressTests {
  @Test(
    "yields the addresses of both of its APIs",
    arguments: [
      ("http://a:8080", "http://a:8080", "ws://a:8080/v1/ws"),
      ("https://a/", "https://a", "wss://a/v1/ws"),
      ("ws://[::1]:1", "http://[::1]:1", "ws://[::1]:1/v1/ws"),
      ("WSS://a/chat/", "https://a/chat", "wss://a/chat/v1/ws"),
    ])
  func sides(text: String, http: String, webSocket: String) {
    let address = ServerAddress(text)
    #expect(address?.httpBase == http)
    #expect(address?.webSocketURL == webSocket)
  }

  @Test(
    "is invalid without a scheme or host, or with more than a path",
    arguments: ["", "a:8080", "ftp://a", "http://", "http://u@a", "http://a?x", "http://a#x"])
  func refused(text: String) {
    #expect(ServerAddress(text) == nil)
  }
}
