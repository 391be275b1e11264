import Basics
import Testing

@testable import Transport

@Suite("Address of a peer")
struct PeerAddressTests {
  @Test(
    "numeric addresses are parsed and printed",
    arguments: [
      ("192.0.2.1", 80, "192.0.2.1:80"), ("192.0.2.1", 0, "192.0.2.1"),
      ("2001:db8::1", 80, "[2001:db8::1]:80"), ("2001:DB8:0::1", 0, "2001:db8::1"),
      ("::", 1, "[::]:1"), ("::1", 0, "::1"), ("255.255.255.255", 1, "255.255.255.255:1"),
    ] as [(String, UInt16, String)])
  func texts(host: String, port: UInt16, text: String) throws {
    #expect(try #require(PeerAddress(host: host, port: port)).description == text)
  }

  @Test("an IPv4 address mapped into IPv6 is that IPv4 address")
  func mapped() {
    #expect(PeerAddress(host: "::ffff:192.0.2.1") == PeerAddress(host: "192.0.2.1"))
    #expect(PeerAddress(host: "::192.0.2.1")?.isV4 == false)
  }

  @Test(
    "text that is not a numeric address is refused",
    arguments: [
      "", "a", "1.2.3", "1.2.3.4.5", "[::1]", "::1%lo", "1.2.3.4:5", " 1.2.3.4", "0x1.2.3.4",
    ])
  func wrong(text: String) {
    #expect(PeerAddress(host: text) == nil)
  }

  @Test("addresses of neither 4 nor 16 bytes are refused")
  func bytes() {
    for count in [0, 3, 5, 15, 17] {
      #expect(PeerAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }
  }
}

@Suite("Networks of peers")
struct PeerNetworkTests {
  @Test(
    "an address is in a range when its first bits are equal",
    arguments: [
      ("10.0.0.0", 8, "10.255.0.1", true), ("10.0.0.0", 8, "11.0.0.0", false),
      ("10.0.0.0", 8, "10.0.0.1", true), ("192.0.2.1", 32, "192.0.2.1", true),
      ("192.0.2.1", 32, "192.0.2.0", false), ("0.0.0.0", 0, "203.0.113.9", true),
      ("0.0.0.0", 0, "2001:db8::1", false), ("::", 0, "203.0.113.9", true),
      ("2001:db8::", 32, "2001:db8:ffff::1", true), ("2001:db8::", 32, "2001:db9::1", false),
      ("2001:db8::1", 128, "2001:db8::1", true), ("2001:db8::1", 128, "2001:db8::2", false),
      ("2001:db8:0:1::", 65, "2001:db8:0:1:7fff::", true),
      ("2001:db8:0:1::", 65, "2001:db8:0:1:8000::", false),
      ("10.0.0.0", 8, "::ffff:10.1.1.1", true),
    ])
  func contains(host: String, length: Int, address: String, isInside: Bool) throws {
    let range = try Network(parsing: "\(host)/\(length)")
    #expect(range.contains(try #require(PeerAddress(host: address))) == isInside)
  }

  @Test("a prefix that does not fit its address is refused")
  func wrong() {
    for (host, length) in [("10.0.0.0", 33), ("10.0.0.0", -1), ("::", 129), ("x", 8)] {
      #expect(throws: NetworkTextError.self) { try Network(parsing: "\(host)/\(length)") }
    }
  }
}
