import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

/// Compressed bodies that grow are read as far as plain ones.
@Suite("Compression bombs", .onOwnThreads)
struct CompressionAttackTests {
  /// A title and 64 MiB of spaces, in each coding that servers are offered.
  enum Coding: String, CaseIterable, Sendable { case gzip, deflate, br, zstd }

  static func bomb(_ coding: Coding) throws -> [UInt8] {
    switch coding {
    case .gzip: return try gzip.get()
    // Without the header and the trailer that make it gzip (RFC 1952 §2.3).
    case .deflate: return Array(try gzip.get().dropFirst(10).dropLast(8))
    case .br: return brotli
    case .zstd: return zstandard()
    }
  }

  private static let gzip = Result {
    try Gzip.compress(
      Array("<title>T</title>".utf8) + [UInt8](repeating: 0x20, count: 64 << 20))
  }

  /// Made once with another program (Node's `zlib.brotliCompressSync`).
  private static let brotli: [UInt8] = bytes(
    """
    cbffff3ff8a540a8b210651e4b0436484875fba7deffc1ffff3ff82500e2b00840f7fe8fffff7ff04b00c461\
    0180eefd1fffffffe0970088c30200ddfb3ffeffffc12f0110870500baf77ffcffff835f02200e0b0074efff\
    f8ffff07bf04401c1600e8defff1ffff0f7e0980382c00d0bdff8b0700fc120055c0010180
    """)

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// One frame (RFC 8878 §3.1.1) with a window of 128 KiB: the title as a raw block, and blocks
  /// that repeat one byte.
  private static func zstandard() -> [UInt8] {
    let title = Array("<title>T</title>".utf8)
    var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]
    frame += block(size: title.count, type: 0) + title
    for _ in 0..<512 { frame += block(size: 131_072, type: 1) + [0x20] }
    return frame + block(size: 0, type: 0, last: 1)
  }

  private static func block(size: Int, type: Int, last: Int = 0) -> [UInt8] {
    let header = size << 3 | type << 1 | last
    return [0, 8, 16].map { UInt8(truncatingIfNeeded: header >> $0) }
  }

  @Test("a bomb is decompressed up to the limit", arguments: Coding.allCases)
  func bombs(coding: Coding) async throws {
    let bomb = try Self.bomb(coding)
    let server = try LocalServer {
      $0.respond(headers: "Content-Encoding: \(coding.rawValue)\r\n", body: bomb)
    }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(report.tag?.title == "T")
    let request = try #require(report.trace.requests.first)
    #expect(request.ending == "read to the limit of 524288 bytes")
    #expect((524_288...1_048_576).contains(request.byteCount))
  }

  @Test(
    "more than one layer is not decompressed",
    arguments: [
      "Content-Encoding: gzip, gzip\r\n", "Content-Encoding: gzip\r\nContent-Encoding: br\r\n",
      "Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked\r\n",
      "content-encoding:gzip,deflate\r\n",
      "Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n",
    ])
  func nested(fields: String) async throws {
    let bomb = try Gzip.compress(try Self.bomb(.gzip))
    let server = try LocalServer { $0.respond(headers: fields, body: bomb) }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(
      report.outcome == .failure(.failed("the response is compressed more than once")))
    #expect(report.trace.requests.first?.byteCount == 0)
  }

  @Test("a body that is not compressed as declared is broken", arguments: ["gzip", "br", "zstd"])
  func broken(coding: String) async throws {
    let server = try LocalServer {
      $0.respond(
        headers: "Content-Encoding: \(coding)\r\n", body: Array("<title>T</title>".utf8))
    }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(report.problem == "the body's compression is broken")
  }

  @Test(
    "an unknown coding is ignored",
    arguments: [
      "UTF-8", "utf-8", "binary", "none", "8bit", "ISO-8859-1", "text/html", "unknown", "",
    ])
  func unknown(coding: String) async throws {
    let server = try LocalServer {
      $0.respond(
        headers: "Content-Encoding: \(coding)\r\n", body: Array("<title>T</title>".utf8))
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/")).tag?.title == "T")
    #expect(server.paths.count <= 2)
  }

  @Test("a body with an additional unknown coding is requested again uncompressed")
  func unknownBeside() async throws {
    let server = try LocalServer { client in
      let isPlain = client.head.lowercased().contains("accept-encoding: identity\r\n")
      let body = Array("<title>T</title>".utf8)
      client.respond(
        headers: "Content-Encoding: \(isPlain ? "UTF-8" : "UTF-8, gzip")\r\n",
        body: isPlain ? body : (try? Gzip.compress(body)) ?? [])
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/")).tag?.title == "T")
  }

  @Test("an unknown transfer coding fails after one more request")
  func unknownTransferCoding() async throws {
    let server = try LocalServer {
      $0.respond(headers: "Transfer-Encoding: utf-8\r\n", body: Array("<title>T</title>".utf8))
    }
    defer { server.stop() }
    _ = try await report(on: server.url("/"))
    #expect(server.paths.count <= 2)
  }

  @Test(
    "the body of a redirect may be broken",
    arguments: [
      "Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n", "Content-Encoding: UTF-8\r\n",
      "Content-Encoding: zstd\r\n",
    ])
  func redirects(fields: String) async throws {
    let server = try LocalServer { client in
      guard client.path == "/1" else { return client.respond("<title>T</title>") }
      client.respond(
        "302 Found", headers: "Location: /2\r\n" + fields, body: Array("plain text".utf8))
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/1")).tag?.title == "T")
  }

  @Test("the body of a redirect may be incomplete")
  func cutRedirects() async throws {
    let server = try LocalServer { client in
      guard client.path == "/1" else { return client.respond("<title>T</title>") }
      client.send("HTTP/1.1 302 Found\r\nLocation: /2\r\nContent-Length: 100\r\n\r\nplain")
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/1")).tag?.title == "T")
  }

  @Test("one layer, with any of its names, is decompressed")
  func single() async throws {
    let body = try Gzip.compress(Array("<title>T</title>".utf8))
    for name in ["gzip", "x-gzip", "GZIP", "identity, gzip"] {
      let server = try LocalServer { client in
        client.respond(headers: "Content-Encoding: \(name)\r\n", body: body)
      }
      defer { server.stop() }
      #expect(try await report(on: server.url("/")).tag?.title == "T", "\(name)")
    }
  }
}
