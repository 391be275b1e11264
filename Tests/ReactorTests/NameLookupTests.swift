import Testing

@testable import Reactor

@Suite("Name look-up")
struct NameLookupTests {
  @Test("localhost resolves to loopback addresses with the requested port")
  func localhost() throws {
    let addresses = try NameLookup.addresses(of: "localhost", port: 8080).map(\.description)
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.hasPrefix("127.") || $0.hasPrefix("[::1]") })
    #expect(addresses.allSatisfy { $0.hasSuffix(":8080") })
  }

  @Test("a numeric address resolves to itself", arguments: ["127.0.0.1", "::1"])
  func numeric(host: String) throws {
    let addresses = try NameLookup.addresses(of: host, port: 9)
    #expect(addresses.map(\.description) == [SocketAddress(host: host, port: 9)?.description])
  }

  @Test("an invalid name is not found", arguments: ["a..b", "a\u{0}b", ""])
  func notFound(host: String) {
    #expect(throws: NameLookup.Failure.self) { try NameLookup.addresses(of: host, port: 9) }
  }
}
