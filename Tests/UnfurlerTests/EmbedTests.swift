import LinkPreview
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("oEmbed", .onOwnThreads)
struct EmbedTests {
  private static let plainPage = """
    <title>Page</title>
    <link rel="alternate" type="application/json+oembed" href="/embed">
    """
  private static let json = """
    {"type": "video", "version": "1.0", "title": "Embedded", \
    "thumbnail_url": "https://img.example/t.png", "thumbnail_width": 4, "thumbnail_height": 3}
    """

  private func configuration() throws -> UnfurlerConfiguration {
    var configuration = try LocalConfiguration.open()
    configuration.usesEmbeds = true
    return configuration
  }

  /// A server of a page without Open Graph, and of whatever answers for its oEmbed description.
  private func server(embed: @escaping LocalServer.Handler) throws -> LocalServer {
    try LocalServer { client in
      client.path == "/" ? client.respond(Self.plainPage) : embed(client)
    }
  }

  @Test("a page without Open Graph is completed from the description that it links to")
  func completed() async throws {
    let head = Mutex("")
    let server = try server { client in
      head.withLock { $0 = client.head.lowercased() }
      client.respond(
        type: "application/json; charset=utf-8", headers: "Cache-Control: max-age=7\r\n",
        body: Array(Self.json.utf8))
    }
    defer { server.stop() }
    let report = try await report(on: server.url("/"), configuration())
    #expect(report.tag?.title == "Embedded")
    #expect(report.tag?.image?.url == "https://img.example/t.png")
    #expect(report.tag?.url == server.url("/"))
    #expect(report.trace.requests.map(\.purpose) == [.page, .embed])
    #expect(report.trace.origins.contains { $0.source == "oEmbed title" })
    #expect(report.freshness == .seconds(7))
    #expect(head.withLock { $0 }.contains("accept: application/json"))
  }

  @Test("no description is requested when oEmbed is off, or when Open Graph is complete")
  func notAsked() async throws {
    let server = try LocalServer { client in
      let openGraph = """
        <meta property=og:title content=T><meta property=og:image content=/i.png>
        """
      client.respond(client.path == "/full" ? openGraph + Self.plainPage : Self.plainPage)
    }
    defer { server.stop() }
    let off = try await report(on: server.url("/"))
    #expect(off.tag?.title == "Page")
    let full = try await report(on: server.url("/full"), configuration())
    #expect(full.tag?.title == "T")
    #expect(server.paths == ["/", "/full"])
  }

  @Test(
    "an unavailable description leaves the page's own preview",
    arguments: ["404", "html", "broken", "long", "redirect", "circle", "cut", "slow"])
  func failure(kind: String) async throws {
    let server = try server { client in
      let type = "application/json"
      switch kind {
      case "404": client.respond("404 Not Found", type: type, body: Array(Self.json.utf8))
      case "html": client.respond(type: "text/html", body: Array(Self.json.utf8))
      case "broken": client.respond(type: type, body: Array("{\"title\":".utf8))
      case "long":
        let padding = [UInt8](repeating: 0x20, count: EmbedReader.limit)
        client.respond(type: type, body: Array(Self.json.utf8) + padding)
      case "redirect": client.redirect(to: "http://10.0.0.1/")
      case "circle": client.redirect(to: client.path)
      case "cut": client.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Le")
      default: client.waitForEnd()
      }
    }
    defer { server.stop() }
    // Long enough for the page on any machine; only the slow one uses it up.
    let report = try await report(
      on: server.url("/"), configuration(), deadline: .seconds(kind == "slow" ? 3 : 60).patient)
    #expect(report.tag?.title == "Page")
    #expect(report.problem == nil)
    #expect(report.trace.requests.map(\.purpose) == [.page, .embed])
    #expect(try #require(report.trace.requests.last).byteCount <= 65_536 + 16_384)
  }

  @Test("a description at a refused address, port or domain is not requested")
  func guarded() async throws {
    let inner = try LocalServer { $0.respond(type: "application/json", body: []) }
    defer { inner.stop() }
    let server = try LocalServer { client in
      let host = String(client.path.dropFirst())
      client.respond(
        """
        <title>Page</title><link rel="alternate" type="application/json+oembed" \
        href="http://\(host):\(inner.port)/">
        """)
    }
    defer { server.stop() }
    var configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    configuration.usesEmbeds = true
    configuration.pinnedHosts += [
      "private.example:\(inner.port):127.0.0.2", "denied.example:\(inner.port):127.0.0.1",
    ]
    configuration.domainRules = try DomainRules(denied: [Domain("denied.example")])
    for host in ["127.0.0.2", "[::1]", "private.example", "denied.example"] {
      let url = "http://page.example:\(server.port)/\(host)"
      #expect(try await report(on: url, configuration).tag?.title == "Page", "\(host)")
    }
    #expect(inner.connectionCount == 0)
  }
}
