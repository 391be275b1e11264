import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Traces of look-ups", .onOwnThreads)
struct UnfurlTraceTests {
  @Test("each request is reported with its address, status, type, bytes, times and ending")
  func requests() async throws {
    let server = try LocalServer { client in
      client.path == "/" ? client.redirect(to: "/page") : client.respond("<title>T</title>")
    }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    let requests = report.trace.requests
    try #require(requests.count == 2)
    #expect(requests.map(\.url) == [server.url("/"), server.url("/page")])
    #expect(requests.map(\.status) == [302, 200])
    #expect(requests.map(\.ending) == ["redirected to \"/page\"", "read to the end"])
    #expect(requests.map(\.byteCount) == [0, 16])
    for request in requests {
      #expect(request.purpose == .page)
      #expect(request.address == "127.0.0.1")
      #expect(request.contentType == "text/html")
      #expect(request.tlsHandshake == 0)
      #expect(request.connect > 0)
      #expect(request.firstByte >= request.connect && request.total >= request.firstByte)
    }
    #expect(report.trace.characterSet != nil)
    #expect(report.trace.origins.map(\.member).contains("og:title"))
    #expect(report.trace.emptiness == nil && report.problem == nil)
  }

  @Test("a kept connection has neither a look-up nor a connect time")
  func keptConnection() async throws {
    let server = try LocalServer { client in
      repeat { client.respond("<title>T</title>") } while client.readHead()
    }
    defer { server.stop() }
    let unfurler = try EmbeddedUnfurler(configuration: try LocalConfiguration.open())
    defer { unfurler.shutdown() }
    _ = try await report(on: server.url("/1"), with: unfurler)
    let second = try await report(on: server.url("/2"), with: unfurler)
    let request = try #require(second.trace.requests.first)
    #expect(request.nameLookup == 0 && request.connect == 0)
    #expect(request.firstByte > 0)
    #expect(server.connectionCount == 1)
  }

  @Test("a short rest of a page, an error page or a redirect is read to keep the connection")
  func shortRest() async throws {
    let head = """
      <head><meta property=og:title content=T><meta property=og:description content=D>\
      <meta property=og:url content=/p><meta property=og:image content=/i.png></head>
      """
    let server = try LocalServer { client in
      repeat {
        switch client.path {
        case "/1": client.respond("<body>" + head + String(repeating: "x", count: 9_000))
        case "/2": client.respond("404 Not Found", body: [UInt8](repeating: 0x20, count: 9_000))
        case "/3": client.redirect(to: "/4")
        default: client.respond(head)
        }
      } while client.readHead()
    }
    defer { server.stop() }
    let unfurler = try EmbeddedUnfurler(configuration: try LocalConfiguration.open())
    defer { unfurler.shutdown() }
    for path in ["/1", "/2", "/3"] {
      _ = try await report(on: server.url(path), with: unfurler)
    }
    #expect(server.connectionCount == 1)
  }

  @Test("a page without a preview and a fetch that never left the queue are reported as such")
  func nothing() async throws {
    let server = try LocalServer { client in
      if client.path == "/" { client.respond("<p>Hello</p>") } else { client.waitForEnd() }
    }
    defer { server.stop() }
    let empty = try await report(on: server.url("/"))
    #expect(empty.outcome == .success(nil))
    #expect(empty.problem == "neither title nor description nor image")
    var configuration = try LocalConfiguration.open()
    configuration.maximumTransfersPerSite = 1
    let unfurler = try EmbeddedUnfurler(configuration: configuration)
    defer { unfurler.shutdown() }
    let first = try #require(Link(server.url("/first")))
    let task = unfurler.unfurl(first, deadline: .seconds(60)) { _ in }
    try await Deadline.standard.wait(for: "a request") { server.paths.contains("/first") }
    let second = try await report(
      on: server.url("/second"), with: unfurler, deadline: .milliseconds(200))
    #expect(second.problem == "timed out while waiting for its turn")
    #expect(second.freshness == .unkept)
    #expect(try #require(second.trace.requests.first).waiting > 0)
    #expect(!server.paths.contains("/second"))
    task.cancel()
  }

  @Test("the configuration contains the user agent and the languages of requests")
  func fields() async throws {
    let server = try LocalServer { client in
      let fields = client.head.split(separator: "\r\n").dropFirst(2).sorted().joined(separator: "|")
      client.respond("<title>\(fields)</title>")
    }
    defer { server.stop() }
    var configuration = try LocalConfiguration.open()
    configuration.userAgent = "Test/1"
    configuration.acceptLanguage = "ko, en;q=0.5"
    let title = try await report(on: server.url("/"), configuration).tag?.title
    #expect(
      title == """
        Accept-Encoding: deflate, gzip, br, zstd|Accept-Language: ko, en;q=0.5|\
        Accept: text/html,application/xhtml+xml;q=0.9|User-Agent: Test/1
        """)
  }
}
