import LinkPreview
import ParleyProtocol
import Synchronization
import Testing

@testable import Unfurler

@Suite("Embedded unfurler")
struct EmbeddedUnfurlerTests {
  static let page = "<html><head><title>T</title></head><body>x</body></html>"

  @Test("a page's preview is fetched")
  func fetch() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    let result = try await unfurl(server.url("/a?b"))
    #expect(try result.get()?.title == "T")
    #expect(try result.get()?.url == server.url("/a?b"))
    #expect(server.paths == ["/a?b"])
  }

  @Test("the request says who asks, and carries no cookies or credentials")
  func request() async throws {
    let head = Mutex("")
    let server = try LocalServer { client in
      head.withLock { $0 = client.head }
      client.respond("200 OK", headers: "Set-Cookie: a=b\r\n", body: Array(Self.page.utf8))
    }
    defer { server.stop() }
    let unfurler = try EmbeddedUnfurler(configuration: try LocalConfiguration.open())
    defer { unfurler.shutdown() }
    _ = try await UnfurlerTests.unfurl(server.url("/1"), with: unfurler)
    _ = try await UnfurlerTests.unfurl(server.url("/2"), with: unfurler)
    let lines = head.withLock { $0 }.lowercased()
    #expect(lines.contains("user-agent: parley/"))
    #expect(lines.contains("accept: text/html"))
    #expect(lines.contains("accept-language:"))
    #expect(lines.contains("gzip"))
    #expect(!lines.contains("cookie:") && !lines.contains("authorization:"))
  }

  @Test("loopback is refused unless it is allowed, under any name")
  func guarded() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    var configuration = UnfurlerConfiguration()
    configuration.portPolicy = try PortPolicy(parsing: "\(server.port)")
    for host in ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0"]
    {
      let result = try await unfurl("http://\(host):\(server.port)/", configuration)
      #expect(throws: UnfurlError.self, "\(host)") { try result.get() }
    }
    #expect(server.paths.isEmpty)
  }

  @Test("a port that is not allowed is refused")
  func port() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    var configuration = try LocalConfiguration.open()
    configuration.portPolicy = .standard
    let result = try await unfurl(server.url("/"), configuration)
    #expect(result == .failure(.failed("port \(server.port) is not allowed")))
    #expect(server.paths.isEmpty)
  }

  @Test("redirects are followed, and the address is where they lead")
  func redirects() async throws {
    let server = try LocalServer { client in
      switch client.path {
      case "/0": client.redirect(to: "/1", "301 Moved Permanently")
      case "/1": client.redirect(to: "2?x", "303 See Other")
      case "/2?x": client.redirect(to: "//127.0.0.1:\(client.port)/3#f", "308 Permanent Redirect")
      default: client.respond(Self.page)
      }
    }
    defer { server.stop() }
    let result = try await unfurl(server.url("/0"))
    #expect(try result.get()?.url == server.url("/3#f"))
    #expect(server.paths == ["/0", "/1", "/2?x", "/3"])
  }

  @Test("redirects have an end")
  func redirectLoop() async throws {
    let server = try LocalServer { $0.redirect(to: $0.path + "x") }
    defer { server.stop() }
    let result = try await unfurl(server.url("/"))
    let last = server.url("/xxxxxx")
    #expect(result == .failure(.failed("too many redirects (6), the last one to \"\(last)\"")))
    #expect(server.paths.count == 6)
  }

  @Test(
    "a redirect to where a link may not lead is not followed",
    arguments: [
      "http://127.1.1.1:%/x", "http://[::1]:%/x", "http://localhost:%/x", "http://127.0.0.1:1/",
      "file:///etc/passwd", "ftp://127.0.0.1/", "http://a@127.0.0.1:%/x", "//127.0.0.1\\@x:%/x",
      "http://169.254.169.254/latest/meta-data", "gopher://127.0.0.1:%/", "http://",
    ])
  func redirectGuard(location: String) async throws {
    let server = try LocalServer { client in
      if client.path == "/" {
        client.redirect(to: location.replacing("%", with: "\(client.port)"))
      } else {
        client.respond(Self.page)
      }
    }
    defer { server.stop() }
    var configuration = try LocalConfiguration.open()
    configuration.addressPolicy = AddressPolicy(allowing: [try Network(parsing: "127.0.0.1/32")])
    let allowed = location.contains("localhost")
    let result = try await unfurl(server.url("/"), configuration)
    if allowed {
      #expect(try result.get()?.title == "T")
    } else {
      #expect(throws: UnfurlError.self) { try result.get() }
      #expect(server.paths == ["/"])
    }
  }

  @Test(
    "what is no page has no preview",
    arguments: [
      ("404 Not Found", "text/html"), ("500 Oops", "text/html"), ("200 OK", "image/png"),
      ("200 OK", "text/plain"), ("200 OK", nil), ("200 OK", "text/html\r\nContent-Type: image/png"),
      ("302 Found", "text/html"), ("304 Not Modified", "text/html"),
    ] as [(String, String?)])
  func noPage(status: String, type: String?) async throws {
    let server = try LocalServer { $0.respond(status, type: type, body: Array(Self.page.utf8)) }
    defer { server.stop() }
    #expect(try await unfurl(server.url("/")) == .success(nil))
  }

  @Test("a server that says nothing, or one byte at a time, times out")
  func slow() async throws {
    let server = try LocalServer { client in
      if client.path == "/head" { client.send("HTTP/1.1 200 OK\r\nX:") }
      if client.path == "/body" {
        client.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<t")
      }
      client.waitForEnd()
    }
    defer { server.stop() }
    for path in ["/silent", "/head", "/body"] {
      let result = try await unfurl(server.url(path), deadline: .milliseconds(300))
      #expect(result == .failure(.timedOut), "\(path)")
    }
  }

  @Test("an endless body is read up to the limit, and what came is used")
  func endless() async throws {
    let server = try LocalServer { client in
      client.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>T</title>")
      while client.send([UInt8](repeating: 0x20, count: 65_536)) {}
    }
    defer { server.stop() }
    #expect(try await unfurl(server.url("/"), deadline: .seconds(60)).get()?.title == "T")
  }

  @Test("header fields or interim responses without end are an error")
  func endlessHead() async throws {
    let server = try LocalServer { client in
      if client.path == "/interim" {
        while client.send("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n") {}
      }
      client.send("HTTP/1.1 200 OK\r\n")
      while client.send("X-Field: \(String(repeating: "x", count: 1_000))\r\n") {}
    }
    defer { server.stop() }
    for path in ["/fields", "/interim"] {
      let result = try await unfurl(server.url(path), deadline: .seconds(60))
      #expect(result == .failure(.failed("the response's head is too large")))
    }
  }

  @Test("a compression bomb is read up to the limit")
  func bomb() async throws {
    let bomb = try Gzip.compress(
      Array("<title>T</title>".utf8) + [UInt8](repeating: 0x20, count: 64 << 20))
    let server = try LocalServer { client in
      client.respond("200 OK", headers: "Content-Encoding: gzip\r\n", body: bomb)
    }
    defer { server.stop() }
    #expect(try await unfurl(server.url("/"), deadline: .seconds(60)).get()?.title == "T")
  }

  @Test("a body that breaks off is used as far as it came")
  func brokenBody() async throws {
    let server = try LocalServer { client in
      let body = client.path == "/none" ? "<htm" : "<title>T</title><meta"
      client.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n\(body)")
      if client.path != "/short" { client.reset() }
    }
    defer { server.stop() }
    #expect(try await unfurl(server.url("/short")).get()?.title == "T")
    let none = try await unfurl(server.url("/none"))
    #expect(throws: UnfurlError.self) { try none.get() }
  }

  @Test("a server that closes at once, or is not there, is a failure")
  func nobody() async throws {
    let server = try LocalServer { _ in }
    let closed = try await unfurl(server.url("/"))
    #expect(throws: UnfurlError.self) { try closed.get() }
    server.stop()
    let gone = try await unfurl("http://127.0.0.1:1/")
    #expect(throws: UnfurlError.self) { try gone.get() }
  }

  @Test("a server that does not speak TLS is a failure over https")
  func noTLS() async throws {
    let server = try LocalServer { $0.respond(Self.page) }
    defer { server.stop() }
    let result = try await unfurl("https://127.0.0.1:\(server.port)/")
    #expect(throws: UnfurlError.self) { try result.get() }
  }

  @Test("many links at once are all answered")
  func many() async throws {
    let server = try LocalServer { $0.respond("<title>\($0.path)</title>") }
    defer { server.stop() }
    let unfurler = try EmbeddedUnfurler(configuration: try LocalConfiguration.open())
    defer { unfurler.shutdown() }
    let titles = try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          let result = try await UnfurlerTests.unfurl(server.url("/\(number)"), with: unfurler)
          return try result.get()?.title
        }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(titles == Set((0..<200).map { "/\($0)" }))
  }

  @Test("a cancelled fetch ends as cancelled, once")
  func cancel() async throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    let unfurler = try EmbeddedUnfurler(configuration: try LocalConfiguration.open())
    defer { unfurler.shutdown() }
    let link = try #require(Link(server.url("/")))
    let result = await withCheckedContinuation { continuation in
      let task = unfurler.unfurl(link, deadline: .seconds(60)) {
        continuation.resume(returning: $0.outcome)
      }
      task.cancel()
      task.cancel()
    }
    #expect(result == .failure(.cancelled))
  }

  @Test("a shutdown cancels what is fetched, what waits, and what comes later")
  func shutdown() async throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    let unfurler = try EmbeddedUnfurler(configuration: try LocalConfiguration.open())
    let link = try #require(Link(server.url("/")))
    let results = Mutex<[Result<OpenGraphTag?, UnfurlError>]>([])
    for _ in 0..<20 {
      _ = unfurler.unfurl(link, deadline: .seconds(60)) { report in
        results.withLock { $0.append(report.outcome) }
      }
    }
    unfurler.shutdown()
    _ = unfurler.unfurl(link, deadline: .seconds(60)) { report in
      results.withLock { $0.append(report.outcome) }
    }
    #expect(results.withLock { $0 } == Array(repeating: .failure(.cancelled), count: 21))
  }

  @Test("only so many links wait for a host, and waiting counts against the deadline")
  func waiting() async throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    var configuration = try LocalConfiguration.open()
    configuration.maximumTransfersPerHost = 1
    configuration.maximumWaiting = 2
    let unfurler = try EmbeddedUnfurler(configuration: configuration)
    defer { unfurler.shutdown() }
    let results = try await withThrowingTaskGroup { group in
      for number in 0..<10 {
        group.addTask {
          try await UnfurlerTests.unfurl(
            server.url("/\(number)"), with: unfurler, deadline: .milliseconds(400))
        }
      }
      return try await group.reduce(into: [UnfurlError]()) { errors, result in
        if case .failure(let error) = result { errors.append(error) }
      }
    }
    #expect(results.count == 10)
    #expect(results.contains(.timedOut))
    #expect(server.paths.count <= 3)
  }

  private func unfurl(
    _ url: String, _ configuration: UnfurlerConfiguration? = nil, deadline: Duration = .seconds(30)
  ) async throws -> Result<OpenGraphTag?, UnfurlError> {
    let unfurler = try EmbeddedUnfurler(
      configuration: try configuration ?? LocalConfiguration.open())
    defer { unfurler.shutdown() }
    return try await UnfurlerTests.unfurl(url, with: unfurler, deadline: deadline)
  }
}

/// Fetches one URL and waits for it.
func unfurl(
  _ url: String, with unfurler: any Unfurler, deadline: Duration = .seconds(30)
) async throws -> Result<OpenGraphTag?, UnfurlError> {
  let link = try #require(Link(url))
  return await withCheckedContinuation { continuation in
    _ = unfurler.unfurl(link, deadline: deadline) { continuation.resume(returning: $0.outcome) }
  }
}

/// A configuration that lets pages be fetched from this machine.
enum LocalConfiguration {
  static func open() throws -> UnfurlerConfiguration {
    var configuration = UnfurlerConfiguration()
    configuration.addressPolicy = AddressPolicy(allowing: [try Network(parsing: "127.0.0.0/8")])
    configuration.portPolicy = try PortPolicy(parsing: "1-65535")
    return configuration
  }
}
