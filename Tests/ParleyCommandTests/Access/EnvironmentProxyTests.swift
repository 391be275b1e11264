import Testing

@testable import parley

@Suite("The environment's proxy")
struct EnvironmentProxyTests {
  private func proxy(_ server: String, _ environment: [String: String]) throws -> String? {
    let address = try #require(ServerAddress(server))
    return try EnvironmentProxy.url(for: address, environment: environment)
  }

  @Test("is that of the address's scheme, or else the one for all schemes")
  func schemes() throws {
    let environment = ["http_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2"]
    #expect(try proxy("http://chat.example", environment) == "http://a:1")
    #expect(try proxy("ws://chat.example", environment) == "http://a:1")
    #expect(try proxy("wss://chat.example", environment) == "http://b:2")
    #expect(try proxy("http://chat.example", ["all_proxy": "c:3"]) == "http://c:3")
    #expect(try proxy("http://chat.example", ["HTTP_PROXY": "http://a:1"]) == nil)
    #expect(try proxy("http://chat.example", ["http_proxy": ""]) == nil)
  }

  @Test(
    "is never used for this machine itself",
    arguments: [
      "http://127.0.0.1:8080", "http://127.8.9.1", "http://localhost", "http://LOCALHOST.:1",
      "http://chat.localhost", "https://[::1]:8443", "http://[::ffff:127.0.0.1]", "http://0.0.0.0",
    ])
  func loopback(server: String) throws {
    let environment = ["all_proxy": "http://a:1", "http_proxy": "http://a:1"]
    #expect(try proxy(server, environment) == nil)
  }

  @Test(
    "is not used for a host in no_proxy",
    arguments: [
      ("*", true), ("example.com", true), (".example.com", true), ("*.example.com", true),
      ("other.org, chat.Example.com", true), ("chat.example.com:8443", true),
      ("chat.example.com:1", false), ("ample.com", false), ("", false), (",,", false),
    ])
  func exceptions(list: String, isDirect: Bool) throws {
    let environment = ["https_proxy": "http://a:1", "no_proxy": list]
    #expect(try (proxy("https://chat.example.com:8443", environment) == nil) == isDirect)
  }

  @Test(
    "is not used for addresses in no_proxy",
    arguments: [
      ("10.0.0.0/8", "http://10.2.3.4", true), ("10.0.0.0/8", "http://11.2.3.4", false),
      ("10.2.3.4", "http://10.2.3.4:80", true), ("10.2.3.4:81", "http://10.2.3.4:80", false),
      ("fd00::/8", "http://[fd00::1]", true), ("[fd00::1]:80", "http://[fd00::1]", true),
      ("10.0.0.0/8", "http://10.example", false),
    ])
  func networks(list: String, server: String, isDirect: Bool) throws {
    let environment = ["http_proxy": "http://a:1", "NO_PROXY": list]
    #expect(try (proxy(server, environment) == nil) == isDirect)
  }

  @Test("is refused with its variable's name when it is not HTTP, without showing its password")
  func kinds() {
    let error = #expect(throws: ProxyError.self) {
      try proxy("https://chat.example", ["https_proxy": "socks5://user:secret@a:1"])
    }
    #expect(error?.description.contains("https_proxy") == true)
    #expect(error?.description.contains("secret") == false)
  }
}
