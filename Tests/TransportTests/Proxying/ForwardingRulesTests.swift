import Basics
import HTTP
import Testing

@testable import Transport

@Suite("Forwarded requests")
struct ForwardingRulesTests {
  private func client(
    _ field: ForwardingRules.Field, _ fields: HTTPFields, from peer: String = "127.0.0.1"
  ) throws -> String? {
    let trusted = try ["127.0.0.0/8", "10.0.0.0/8"].map(Network.init(parsing:))
    let rules = ForwardingRules(field: field, trusted: trusted)
    return rules.client(of: fields, from: try #require(PeerAddress(host: peer)))?.description
  }

  @Test(
    "X-Forwarded-For is read backwards as far as the proxies are trusted",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.0.0.1", "192.0.2.1"),
      ("6.6.6.6, 192.0.2.1", "192.0.2.1"), ("6.6.6.6, 192.0.2.1, 10.0.0.1", "192.0.2.1"),
      ("10.0.0.2, 10.0.0.1", "10.0.0.2"), ("2001:db8::1", "2001:db8::1"),
      ("192.0.2.1:4711", "192.0.2.1:4711"), ("[2001:db8::1]:4711", "[2001:db8::1]:4711"),
      ("unknown, 10.0.0.1", "10.0.0.1"), ("192.0.2.1, junk", nil), ("", nil), (",,", nil),
    ])
  func xForwardedFor(value: String, expected: String?) throws {
    #expect(try client(.xForwardedFor, ["X-Forwarded-For": value]) == expected)
  }

  @Test("the host and scheme are those that trusted proxies forward, the nearest first")
  func sites() throws {
    let near = try #require(PeerAddress(host: "127.0.0.1"))
    let far = try #require(PeerAddress(host: "192.0.2.1"))
    let trusted = [try Network(parsing: "127.0.0.0/8")]
    let single = ForwardingRules(field: .xForwardedFor, trusted: trusted)
    let fields: HTTPFields = [
      "X-Forwarded-Host": "outer.example, inner.example", "X-Forwarded-Proto": "http, HTTPS",
      "Forwarded": "for=a;host=outer.example;proto=http, host=\"inner.example:8080\"",
    ]
    #expect(single.sites(of: fields, from: near).hosts == ["inner.example", "outer.example"])
    #expect(single.sites(of: fields, from: near).scheme == "http")
    #expect(single.sites(of: fields, from: far) == ForwardedSites())
    let standard = ForwardingRules(field: .forwarded, trusted: trusted)
    #expect(
      standard.sites(of: fields, from: near).hosts == ["inner.example:8080", "outer.example"])
    #expect(standard.sites(of: fields, from: near).scheme == "http")
  }

  @Test(
    "the scheme is that of the client's request to the first proxy, also for WebSocket",
    arguments: [
      ("https", "https"), ("HTTPS", "https"), ("wss", "https"), ("Wss", "https"), ("ws", "http"),
      ("https, http", "https"), ("https,wss", "https"), ("http,https", "http"), ("", nil),
      ("gopher", nil), ("gopher, wss", "https"),
    ])
  func schemes(value: String, expected: String?) throws {
    let near = try #require(PeerAddress(host: "127.0.0.1"))
    let trusted = [try Network(parsing: "127.0.0.0/8")]
    let single = ForwardingRules(field: .xForwardedFor, trusted: trusted)
    let elements = value.split(separator: ",").map { "proto=\($0.trimmingPrefix(" "))" }
    let fields: HTTPFields = [
      "X-Forwarded-Proto": value, "Forwarded": elements.joined(separator: ", "),
    ]
    #expect(single.sites(of: fields, from: near).scheme == expected)
    let standard = ForwardingRules(field: .forwarded, trusted: trusted)
    #expect(standard.sites(of: fields, from: near).scheme == expected)
  }

  @Test("several fields with the name form one list")
  func severalFields() throws {
    let fields: HTTPFields = ["X-Forwarded-For": "6.6.6.6", "x-forwarded-for": "192.0.2.1"]
    #expect(try client(.xForwardedFor, fields) == "192.0.2.1")
  }

  @Test(
    "Forwarded is read backwards as far as the proxies are trusted",
    arguments: [
      ("for=192.0.2.1", "192.0.2.1"), ("For=192.0.2.1;proto=https;by=10.0.0.1", "192.0.2.1"),
      ("proto=https; for=\"192.0.2.1:4711\"", "192.0.2.1:4711"),
      ("for=\"[2001:db8:cafe::17]:4711\"", "[2001:db8:cafe::17]:4711"),
      ("for=\"[2001:db8::1]\"", "2001:db8::1"), ("for=6.6.6.6, for=192.0.2.1", "192.0.2.1"),
      ("for=192.0.2.1, for=10.0.0.1", "192.0.2.1"), ("for=_hidden, for=10.0.0.1", "10.0.0.1"),
      ("for=\"192.0.2.1:_port\"", "192.0.2.1"), ("for=unknown", nil), ("proto=https", nil),
      ("for=192.0.2.1;for=6.6.6.6", nil), ("for=", nil), ("for=\"a,b\"", nil), ("for=[::1", nil),
    ])
  func forwarded(value: String, expected: String?) throws {
    #expect(try client(.forwarded, ["Forwarded": value]) == expected)
  }

  @Test(
    "client input, including open quotes, neither hides nor changes its proxy's entries",
    arguments: [
      "\"", "\\", "\\\"", "for=\"", "\"a, 6.6.6.6", "for=\"6.6.6.6, for=6.6.6.6", ",,;,",
      "6.6.6.6;",
    ])
  func hostileFront(front: String) throws {
    let plain: HTTPFields = ["X-Forwarded-For": front + ", 192.0.2.1"]
    #expect(try client(.xForwardedFor, plain) == "192.0.2.1")
    let element = #"for="192.0.2.1:80";host="h\", for=6.6.6.6;x="#
    let quoted: HTTPFields = ["Forwarded": front + ", " + element + "\""]
    #expect(try client(.forwarded, quoted) == "192.0.2.1:80")
  }

  @Test("client text that a proxy quotes, such as a host, is not an address")
  func quotedHost() throws {
    let value = #"for=192.0.2.1;host="h;for=6.6.6.6""#
    #expect(try client(.forwarded, ["Forwarded": value]) == "192.0.2.1")
  }

  @Test("a peer outside the trusted networks is not trusted")
  func untrusted() throws {
    #expect(
      try client(.xForwardedFor, ["X-Forwarded-For": "192.0.2.1"], from: "203.0.113.9") == nil)
  }

  @Test("only the configured field is read: a client may send the other one")
  func otherField() throws {
    #expect(try client(.forwarded, ["X-Forwarded-For": "192.0.2.1"]) == nil)
    #expect(try client(.xForwardedFor, ["Forwarded": "for=192.0.2.1"]) == nil)
  }

  @Test("an endless list of proxies is read only up to a limit")
  func manyHops() throws {
    let hops = Array(repeating: "10.0.0.1", count: 500).joined(separator: ", ")
    #expect(try client(.xForwardedFor, ["X-Forwarded-For": "192.0.2.1, " + hops]) == "10.0.0.1")
  }
}
