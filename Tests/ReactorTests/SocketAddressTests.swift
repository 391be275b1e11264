import Glibc
import Testing

@testable import Reactor

@Suite("Socket address")
struct SocketAddressTests {
  @Test(
    "a numeric host and a port are written as they were given",
    arguments: ["127.0.0.1:8080", "0.0.0.0:0", "255.255.255.255:65535"])
  func describesIPv4(text: String) throws {
    let parts = text.split(separator: ":")
    let port = try #require(UInt16(parts[1]))
    let address = try #require(SocketAddress(host: String(parts[0]), port: port))
    #expect(address.description == text)
    #expect(address.family == AF_INET)
    #expect(address.port == port)
  }

  @Test("an IPv6 address is written in brackets", arguments: ["::", "::1", "2001:db8::ff00:42"])
  func describesIPv6(host: String) throws {
    let address = try #require(SocketAddress(host: host, port: 443))
    #expect(address.description == "[\(host)]:443")
    #expect(address.family == AF_INET6)
    #expect(address.port == 443)
  }

  @Test(
    "a host that is not a numeric address is refused",
    arguments: [
      "", "localhost", "127.0.0", "127.0.0.256", "[::1]", "::g", "1.2.3.4:80", "fe80::1%lo",
    ])
  func refusesNames(host: String) {
    #expect(SocketAddress(host: host, port: 1) == nil)
  }

  @Test("changing the port keeps the host", arguments: ["10.0.0.1", "fe80::1"])
  func changesThePort(host: String) throws {
    let address = try #require(SocketAddress(host: host, port: 1)).withPort(0xABCD)
    #expect(address.port == 0xABCD)
    #expect(address.description.contains(host))
  }
}
