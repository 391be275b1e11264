import Configuration
import Testing

@testable import parley

@Suite("The address of a gateway's metrics")
struct MetricsPlaceTests {
  private func url(of server: String, listening addresses: String...) throws -> String {
    let server = try #require(ServerAddress(server))
    let addresses = try addresses.map { try #require(ListenAddress($0)) }
    return try MetricsPlace(server: server).url(listening: addresses)
  }

  @Test(
    "is the first reachable address of operations.listen",
    arguments: [
      ("http://127.0.0.1:8080", "127.0.0.1:9464", "http://127.0.0.1:9464/metrics"),
      ("http://localhost:8080", "[::1]:9464", "http://[::1]:9464/metrics"),
      ("https://chat.example.com", "10.0.0.7:9464", "http://10.0.0.7:9464/metrics"),
      ("https://chat.example.com", "0.0.0.0:9464", "http://chat.example.com:9464/metrics"),
      ("http://[2001:db8::1]", "[::]:9464", "http://[2001:db8::1]:9464/metrics"),
    ])
  func reachable(server: String, address: String, expected: String) throws {
    #expect(try url(of: server, listening: address) == expected)
    #expect(try url(of: server, listening: "127.0.0.1:0", address) == expected)
  }

  @Test("is named in the error when it is unreachable")
  func unreachable() throws {
    let server = "https://chat.example.com"
    let failure = #expect(throws: CommandFailure.self) {
      try url(of: server, listening: "127.0.0.1:9464")
    }
    let text = try #require(failure).description
    #expect(text.contains("127.0.0.1:9464") && text.contains("--metrics"), "\(text)")
    let unset = #expect(throws: CommandFailure.self) { try url(of: server) }
    #expect(try #require(unset).description.contains("operations.listen is not set"))
  }
}
