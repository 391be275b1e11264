import Basics
import Curl
import LinkPreview
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

/// Nothing that is not public is dialled, however its address comes.
@Suite("Attacks through addresses", .onOwnThreads)
struct AddressAttackTests {
  static let page = "<title>T</title>"

  @Test(
    "an address that is not public is refused in any spelling",
    arguments: [
      "127.0.0.1", "127.1", "127.0.1", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1", "2130706433",
      "017700000001", "127.0.0.1.", "127.255.255.254", "0.0.0.0", "0", "10.0.0.1", "172.16.0.1",
      "192.168.0.1", "169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1",
      "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "１２７.０.０.１",
      "127。0。0。1", "%31%32%37.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]", "[::127.0.0.1]", "[2002:7f00:1::]", "[64:ff9b::7f00:1]",
      "[64:ff9b:1::7f00:1]", "[fe80::1]", "[fe80::1%25lo]", "[fd00:ec2::254]", "[fc00::1]",
      "[ff02::1]", "[2001:db8::1]", "localhost", "LOCALHOST.", "localhost.",
    ])
  func spelling(host: String) async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    var configuration = UnfurlerConfiguration()
    configuration.portPolicy = PortPolicy([UInt16(server.port)...UInt16(server.port)])
    let url = "http://\(host):\(server.port)/"
    // Some are no host at all.
    guard Link(url) != nil else { return }
    let report = try await report(on: url, configuration)
    #expect(throws: UnfurlError.self) { try report.outcome.get() }
    #expect(try #require(report.problem).contains("public"))
    #expect(server.connectionCount == 0)
  }

  @Test(
    "a name with an address that is not public is refused, and the address reported",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("10.0.0.1", "10.0.0.1"), ("0.0.0.0", "0.0.0.0"),
      ("169.254.169.254", "169.254.169.254"), ("192.168.1.1", "192.168.1.1"), ("[::1]", "::1"),
      ("[::ffff:127.0.0.1]", "::ffff:7f00:1"), ("[::127.0.0.1]", "::7f00:1"),
      ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1"), ("[2002:7f00:1::]", "2002:7f00:1::"),
      ("[fd00:ec2::254]", "fd00:ec2::254"), ("[fe80::1]", "fe80::1"), ("[::]", "::"),
    ])
  func name(address: String, told: String) async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    let configuration = try LocalConfiguration.closed(server, addresses: address)
    let report = try await report(on: "http://page.example:\(server.port)/", configuration)
    #expect(
      report.problem == "page.example has the address \(told), which is not public")
    #expect(server.connectionCount == 0)
    #expect(report.trace.requests.count == 1)
  }

  @Test("only the permitted addresses of a name are dialled, in any order")
  func mixedAnswers() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    for addresses in ["10.0.0.1,127.0.0.1", "127.0.0.1,10.0.0.1", "[::1],127.0.0.1"] {
      let configuration = try LocalConfiguration.closed(
        server, addresses: addresses, allowing: ["127.0.0.1/32"])
      let report = try await report(on: "http://page.example:\(server.port)/", configuration)
      #expect(report.tag?.title == "T", "\(addresses)")
      #expect(report.trace.requests.first?.address == "127.0.0.1")
    }
  }

  @Test("when the permitted address does not answer, the others are still not dialled")
  func firstPublicThenPrivate() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    // Nobody listens at the only address that is allowed.
    for addresses in ["127.0.0.3,127.0.0.1", "127.0.0.3,[::ffff:127.0.0.1],127.0.0.1"] {
      let configuration = try LocalConfiguration.closed(
        server, addresses: addresses, allowing: ["127.0.0.3/32"])
      let report = try await report(on: "http://page.example:\(server.port)/", configuration)
      #expect(throws: UnfurlError.self) { try report.outcome.get() }
      #expect(try #require(report.problem).contains("not public"))
      #expect(server.connectionCount == 0)
    }
  }

  @Test("a name that resolves differently the second time is checked again")
  func rebinding() async throws {
    let inner = try LocalServer { $0.respond("<title>secret</title>") }
    defer { inner.stop() }
    let server = try LocalServer { $0.redirect(to: "http://inner.example:\(inner.port)/") }
    defer { server.stop() }
    var configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    configuration.pinnedHosts.append("inner.example:\(inner.port):127.0.0.2,[::1],10.0.0.1")
    let report = try await report(on: "http://page.example:\(server.port)/", configuration)
    #expect(try #require(report.problem).contains("127.0.0.2"))
    #expect(inner.connectionCount == 0)
    #expect(report.trace.requests.map(\.status) == [302, nil])
  }

  @Test(
    "a redirect to an address that is not public, another scheme or userinfo is not followed",
    arguments: [
      ("http://10.0.0.1/", "10.0.0.1 is not a public address"),
      ("http://169.254.169.254/latest/meta-data/", "169.254.169.254 is not a public address"),
      ("http://[fd00:ec2::254]/", "fd00:ec2::254 is not a public address"),
      ("http://[::ffff:10.0.0.1]/", "is not a public address"),
      ("http://0x7f.2/", "127.0.0.2 is not a public address"),
      ("//[::1]/", "::1 is not a public address"),
      ("http://private.example:80/", "10.1.2.3, which is not public"),
      ("file:///etc/passwd", "not an http or https URL: \"file:///etc/passwd\""),
      ("ftp://page.example/", "not an http or https URL"),
      ("gopher://127.0.0.1:25/_HELO", "not an http or https URL"),
      ("dict://127.0.0.1:11211/stat", "not an http or https URL"),
      ("javascript:alert(1)", "not an http or https URL"),
      ("data:text/html,<title>x</title>", "not an http or https URL"),
      ("http://user@page.example/", "not an http or https URL"),
      ("http://user:word@page.example/", "not an http or https URL"),
      ("http://page.example\\@10.0.0.1/", "not an http or https URL"),
      ("\\\\10.0.0.1\\x", "not an http or https URL"),
      ("http://page.example:65536/", "not an http or https URL"),
      ("http://page.example:22/", "port 22 is not allowed"),
      ("http://\(String(repeating: "a", count: 64)).example/", "not an http or https URL"),
      ("/\(String(repeating: "a", count: 5_000))", "not an http or https URL"),
      ("http://", "not an http or https URL"),
    ])
  func redirect(location: String, reason: String) async throws {
    let server = try LocalServer { $0.redirect(to: location) }
    defer { server.stop() }
    var configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    configuration.portPolicy = PortPolicy([
      80...80, 443...443, UInt16(server.port)...UInt16(server.port),
    ])
    configuration.pinnedHosts.append("private.example:80:10.1.2.3")
    let report = try await report(on: "http://page.example:\(server.port)/", configuration)
    #expect(try #require(report.problem).contains(reason))
    #expect(server.connectionCount == 1)
  }

  @Test("a line break in a redirect does not make a second header field")
  func headerInjection() async throws {
    let server = try LocalServer { client in
      if client.path == "/" {
        client.redirect(to: "/a%0d%0aX-Evil:%20b?\tc")
      } else {
        client.respond("<title>\(client.head.contains("X-Evil: b\r"))</title>")
      }
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/")).tag?.title == "false")
  }

  @Test("a kept connection is not used for another host at the same address")
  func reuse() async throws {
    let server = try LocalServer { client in
      repeat { client.respond("<title>\(client.path)</title>") } while client.readHead()
    }
    defer { server.stop() }
    var configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    configuration.pinnedHosts.append("other.example:\(server.port):127.0.0.1")
    let unfurler = try EmbeddedUnfurler(configuration: configuration)
    defer { unfurler.shutdown() }
    var counts: [Int] = []
    for host in ["page.example", "page.example", "other.example", "page.example"] {
      let url = "http://\(host):\(server.port)/"
      #expect(try await report(on: url, with: unfurler).tag != nil)
      counts.append(server.connectionCount)
    }
    #expect(counts == [1, 1, 2, 2])
  }

  @Test("this machine's own public addresses are refused, unless they are allowed")
  func ownAddress() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    let own = try #require(IPAddress("8.8.4.4"))
    var configuration = try LocalConfiguration.closed(server, addresses: "8.8.4.4")
    configuration.ownAddresses = { [own] }
    let byName = try await report(on: "http://page.example:\(server.port)/", configuration)
    #expect(byName.problem == "page.example has the address 8.8.4.4, which is this machine's")
    for host in ["8.8.4.4", "0x08080404", "[::ffff:8.8.4.4]", "[2002:808:404::1]"] {
      let report = try await report(on: "http://\(host):\(server.port)/", configuration)
      #expect(try #require(report.problem).hasSuffix("is an address of this machine"), "\(host)")
    }
  }

  @Test("a redirect to this machine's own public address is refused")
  func redirectToOwnAddress() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    let start = try LocalServer { $0.redirect(to: "http://8.8.4.4:\(server.port)/") }
    defer { start.stop() }
    var configuration = try LocalConfiguration.open()
    let own = try #require(IPAddress("8.8.4.4"))
    configuration.ownAddresses = { [own] }
    let report = try await report(on: start.url("/"), configuration)
    #expect(report.problem == "8.8.4.4 is an address of this machine")
  }

  @Test("the addresses of the interfaces are read, including loopback")
  func interfaces() throws {
    #expect(OwnAddresses.ofInterfaces().contains(try #require(IPAddress("127.0.0.1"))))
  }

  @Test("interface addresses are read again after ten seconds")
  func reading() throws {
    let reads = Mutex(0)
    var addresses = OwnAddresses {
      [
        .v4(
          UInt32(
            reads.withLock { count in
              count += 1; return count
            }))
      ]
    }
    let start = ContinuousClock.now
    #expect(addresses.current(at: start) == [.v4(1)])
    #expect(addresses.current(at: start.advanced(by: .seconds(9))) == [.v4(1)])
    #expect(addresses.current(at: start.advanced(by: .seconds(10))) == [.v4(2)])
  }
}
