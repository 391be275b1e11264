import LinkPreview
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Fetching the pictures of previews", .onOwnThreads)
struct PictureFetchTests {
  private func fetch(
    _ url: String, _ configuration: UnfurlerConfiguration? = nil,
    deadline: Duration = .seconds(60)
  ) async throws -> PictureReport {
    let unfurler = try EmbeddedUnfurler(
      configuration: try configuration ?? LocalConfiguration.open())
    defer { unfurler.shutdown() }
    let target = try #require(WebURL(url))
    return await withCheckedContinuation { continuation in
      unfurler.fetchPicture(target, for: .operation, deadline: deadline) {
        continuation.resume(returning: $0)
      }
    }
  }

  @Test("a picture is returned unchanged, also after a redirect, and the request accepts pictures")
  func picture() async throws {
    let head = Mutex("")
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let server = try LocalServer { client in
      head.withLock { $0 = client.head }
      if client.path == "/1" { return client.redirect(to: "/2", "302 Found") }
      client.respond(type: "image/PNG; x=y", body: bytes)
    }
    defer { server.stop() }
    let report = try await fetch(server.url("/1"))
    #expect(report.bytes == bytes && report.problem == nil)
    #expect(report.requests.map(\.purpose) == [.picture, .picture])
    #expect(head.withLock { $0 }.lowercased().contains("accept: image/"))
  }

  @Test(
    "a response whose type is not a picture is not read",
    arguments: ["image/svg+xml", "text/html", "application/octet-stream", "image/", "video/mp4"])
  func types(type: String) async throws {
    let server = try LocalServer {
      $0.respond(type: type, body: [1])
    }
    defer { server.stop() }
    let report = try await fetch(server.url("/"))
    #expect(report.bytes == nil && report.problem?.contains("not a picture") == true)
  }

  @Test("a picture with an unknown coding is returned unchanged")
  func unknownCoding() async throws {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let server = try LocalServer {
      $0.respond(type: "image/png", headers: "Content-Encoding: UTF-8\r\n", body: bytes)
    }
    defer { server.stop() }
    #expect(try await fetch(server.url("/")).bytes == bytes)
  }

  @Test("more than 5 MiB is refused, whether declared or found while reading")
  func tooLong() async throws {
    let body = [UInt8](repeating: 1, count: PictureReader.limit + 1)
    let server = try LocalServer { client in
      let body = client.path == "/fits" ? Array(body.dropLast()) : body
      client.respond(type: "image/jpeg", body: body)
    }
    defer { server.stop() }
    #expect(try await fetch(server.url("/fits")).bytes?.count == PictureReader.limit)
    let report = try await fetch(server.url("/"))
    #expect(report.bytes == nil && report.problem == PictureReport.tooLong)
  }

  @Test("addresses that are not public are not dialled, not even after a redirect")
  func guarded() async throws {
    let inside = try LocalServer {
      $0.respond(type: "image/png", body: [1])
    }
    defer { inside.stop() }
    let report = try await fetch(
      "http://page.example:\(inside.port)/", try LocalConfiguration.closed(inside))
    #expect(report.bytes == nil && report.problem?.contains("not public") == true)
    #expect(inside.paths.isEmpty)
  }
}
