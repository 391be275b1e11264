import Basics
import LinkPreview
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Embedded unfurler", .onOwnThreads)
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

  @Test("the request identifies the server, and contains no cookies or credentials")
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

  @Test("redirects are followed, and the address is the final one")
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

  @Test("a shutdown cancels running, waiting and later fetches")
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

  @Test(
    "the number of links waiting for a host is limited, and waiting counts against the deadline")
  func waiting() async throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    var configuration = try LocalConfiguration.open()
    configuration.maximumTransfersPerSite = 1
    configuration.maximumWaiting = 2
    let unfurler = try EmbeddedUnfurler(configuration: configuration)
    defer { unfurler.shutdown() }
    let outcomes = Mutex<[Result<OpenGraphTag?, UnfurlError>]>([])
    // In one go, so that they wait together.
    for link in try (0..<10).map({ try #require(Link(server.url("/\($0)"))) }) {
      _ = unfurler.unfurl(link, deadline: .milliseconds(400).patient) { report in
        outcomes.withLock { $0.append(report.outcome) }
      }
    }
    try await Deadline.standard.wait(for: "ten outcomes") { outcomes.withLock { $0.count == 10 } }
    let results = outcomes.withLock { $0 }.compactMap { outcome -> UnfurlError? in
      if case .failure(let error) = outcome { error } else { nil }
    }
    #expect(results.count == 10)
    #expect(results.contains(.timedOut))
    #expect(results.contains(.failed("too many links are waiting (2)")))
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
    configuration.portPolicy = PortPolicy([1...65535])
    return configuration
  }
}
