import Glibc
import LinkPreview
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

/// Servers that are slow, endless, broken or lying cost little and are told by name.
@Suite("Attacks by servers", .onOwnThreads)
struct ServerAttackTests {
  private static let okHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

  @Test(
    "a time-out is reported with the phase in which it occurred",
    arguments: [
      ("", "waiting for the response"),
      ("HTTP/1.1 200 OK\r\nX:", "reading the response's head"),
      (okHead + "\r\n<t", "reading the body"),
    ])
  func timeouts(start: String, phase: String) async throws {
    let server = try LocalServer { client in
      client.send(start)
      client.waitForEnd()
    }
    defer { server.stop() }
    // Long enough to come that far on any machine.
    let report = try await report(on: server.url("/"), deadline: .seconds(3).patient)
    #expect(report.outcome == .failure(.timedOut))
    #expect(report.problem == "timed out while \(phase)")
    #expect(report.freshness == .unspecified)
  }

  @Test("a page that times out has no preview, whatever was received")
  func slowEnd() async throws {
    let server = try LocalServer { client in
      client.send(Self.okHead + "\r\n<title>T</title>")
      client.waitForEnd()
    }
    defer { server.stop() }
    let report = try await report(on: server.url("/"), deadline: .seconds(3).patient)
    #expect(report.outcome == .failure(.timedOut))
    #expect(report.trace.requests.map(\.ending) == ["timed out while reading the body"])
  }

  @Test("a connection that is never accepted times out while connecting")
  func connecting() async throws {
    let listener = try FullListener()
    let report = try await report(
      on: "http://127.0.0.1:\(listener.port)/", deadline: .milliseconds(300))
    withExtendedLifetime(listener) {}
    #expect(report.problem == "timed out while connecting")
  }

  @Test("a response sent byte by byte is read no longer than the deadline")
  func dripping() async throws {
    let server = try LocalServer { client in
      if client.path == "/body" { client.send(Self.okHead + "\r\n") }
      // As fast as it goes, and yet without end.
      while client.send(client.path == "/body" ? "x" : "X: y\r\nHTTP") { usleep(10_000) }
    }
    defer { server.stop() }
    for path in ["/head", "/body"] {
      let report = try await report(on: server.url(path), deadline: .milliseconds(300))
      #expect(report.tag == nil && report.problem != nil, "\(path)")
    }
  }

  @Test("an endless body is read up to the limit, chunked or not")
  func endlessBody() async throws {
    let server = try LocalServer { client in
      let isChunked = client.path == "/chunked"
      client.send(Self.okHead + (isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n"))
      let spaces = [UInt8](repeating: 0x20, count: 65_536)
      client.send(isChunked ? "10\r\n<title>T</title>\r\n" : "<title>T</title>")
      while isChunked
        ? client.send("10000\r\n") && client.send(spaces) && client.send("\r\n")
        : client.send(spaces)
      {}
    }
    defer { server.stop() }
    for path in ["/plain", "/chunked"] {
      let report = try await report(on: server.url(path))
      #expect(report.tag?.title == "T")
      let request = try #require(report.trace.requests.first)
      #expect(request.ending == "read to the limit of 524288 bytes")
      #expect((524_288...600_000).contains(request.byteCount))
    }
    try await Deadline.standard.wait(for: "sent bytes") { server.sentByteCount > 0 }
    // What was read, and what lies in the kernel's buffers.
    #expect(server.sentByteCount < 2 * 16_777_216)
  }

  @Test(
    "endless header fields, in one line or many, final or interim, are an error",
    arguments: ["/fields", "/line", "/interim", "/interim-fields"])
  func endlessHead(path: String) async throws {
    let server = try LocalServer { client in
      switch client.path {
      case "/fields":
        client.send("HTTP/1.1 200 OK\r\n")
        while client.send("X-Field: \(String(repeating: "x", count: 1_000))\r\n") {}
      case "/line":
        client.send("HTTP/1.1 200 OK\r\nX-Field: ")
        while client.send(String(repeating: "x", count: 10_000)) {}
      case "/interim": while client.send("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n") {}
      default:
        client.send("HTTP/1.1 100 Continue\r\n")
        while client.send("X-Field: \(String(repeating: "x", count: 1_000))\r\n") {}
      }
    }
    defer { server.stop() }
    let report = try await report(on: server.url(path))
    #expect(report.outcome == .failure(.failed("the response's head is too large")))
  }

  @Test("a few interim responses are skipped")
  func interim() async throws {
    let server = try LocalServer { client in
      for _ in 0..<10 { client.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") }
      client.respond("<title>T</title>")
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/")).tag?.title == "T")
  }

  @Test("an interim response without a final one is a failure, not a page without a preview")
  func onlyInterim() async throws {
    let server = try LocalServer { $0.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(report.problemKind == .failed)
  }

  @Test("redirect loops are stopped when they repeat, chains at the limit")
  func redirects() async throws {
    let server = try LocalServer { client in
      switch client.path {
      case "/self": client.redirect(to: "/self#again")
      case "/a": client.redirect(to: "/b")
      case "/b": client.redirect(to: "/a", "301 Moved Permanently")
      default: client.redirect(to: client.path + "x")
      }
    }
    defer { server.stop() }
    let loop = try await report(on: server.url("/self"))
    #expect(
      loop.problem
        == "redirected in a circle, back to \"\(server.url("/self#again"))\"")
    let pair = try await report(on: server.url("/a"))
    #expect(pair.problem == "redirected in a circle, back to \"\(server.url("/a"))\"")
    #expect(pair.trace.requests.map(\.ending) == ["redirected to \"/b\"", "redirected to \"/a\""])
    let chain = try await report(on: server.url("/x"))
    #expect(try #require(chain.problem).contains("too many redirects (6)"))
    #expect(chain.trace.requests.count == 6)
    #expect(server.paths.count == 1 + 2 + 6)
  }

  @Test("cookies set by a redirect are not sent back, and no referrer is sent")
  func cookies() async throws {
    let head = Mutex("")
    let server = try LocalServer { client in
      if client.path == "/" {
        let cookies = (0..<200).map { "Set-Cookie: c\($0)=v; Path=/\r\n" }.joined()
        client.respond("302 Found", headers: "Location: /2\r\n" + cookies, body: [])
      } else {
        head.withLock { $0 = client.head.lowercased() }
        client.respond("<title>T</title>")
      }
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/")).tag?.title == "T")
    let fields = head.withLock { $0 }
    for name in ["cookie:", "referer:", "authorization:", "range:"] {
      #expect(!fields.contains("\r\n" + name))
    }
  }

  @Test("a truncated body is used as far as it was received, a longer one is cut")
  func wrongLength() async throws {
    let server = try LocalServer { client in
      switch client.path {
      case "/short": client.send(Self.okHead + "Content-Length: 9999\r\n\r\n<title>T</title>")
      case "/nothing": client.send(Self.okHead + "Content-Length: 9999\r\n\r\n<t")
      default: client.send(Self.okHead + "Content-Length: 16\r\n\r\n<title>T</title><title>U")
      }
    }
    defer { server.stop() }
    #expect(try await report(on: server.url("/short")).tag?.title == "T")
    #expect(try await report(on: server.url("/long")).tag?.title == "T")
    let nothing = try await report(on: server.url("/nothing"))
    #expect(nothing.problem == "the body broke off before its end")
  }

  @Test(
    "a body with invalid framing ends the fetch",
    arguments: [
      "Content-Length: -5\r\n\r\n<title>T</title>",
      "Content-Length: 99999999999999999999999\r\n\r\n<title>T</title>",
      "Content-Length: 16\r\nContent-Length: 3\r\n\r\n<title>T</title>",
      "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\n<title>T</title>",
      "Transfer-Encoding: chunked\r\n\r\nzz\r\n<title>T</title>",
      "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n10\r\n<title>T</title>\r\n0\r\n\r\n",
      "Transfer-Encoding: nonsense\r\n\r\n<title>T</title>",
    ])
  func framing(rest: String) async throws {
    let server = try LocalServer { $0.send(Self.okHead + rest) }
    defer { server.stop() }
    // Which of them still make a preview is libcurl's to say; each has an end and a word for it.
    let report = try await report(on: server.url("/"))
    #expect(report.tag != nil || report.problem != nil)
    #expect(report.outcome != .failure(.timedOut))
  }

  @Test("a connection that is reset in the middle returns the received part, or an error")
  func reset() async throws {
    let server = try LocalServer { client in
      if client.path == "/head" {
        client.send("HTTP/1.1 200 OK\r\n")
      } else {
        client.send(Self.okHead + "Content-Length: 9999\r\n\r\n<htm")
      }
      client.reset()
    }
    defer { server.stop() }
    for path in ["/head", "/body"] {
      let report = try await report(on: server.url(path))
      #expect(throws: UnfurlError.self, "\(path)") { try report.outcome.get() }
    }
  }

  @Test("a response that is not HTTP is reported as such")
  func notHTTP() async throws {
    let server = try LocalServer { $0.send("220 mail.example ESMTP\r\n") }
    defer { server.stop() }
    #expect(try await report(on: server.url("/")).problem == "the answer is not HTTP")
    let silent = try LocalServer { _ in }
    defer { silent.stop() }
    #expect(
      try await report(on: silent.url("/")).problem
        == "the server closed the connection without an answer")
    let gone = try await report(on: "http://127.0.0.1:1/")
    #expect(gone.problem == "cannot connect: Connection refused")
  }

  @Test(
    "a resource that is not a page is reported with its type",
    arguments: [
      ("404 Not Found", "text/html", "the server answered with status 404"),
      ("304 Not Modified", "text/html", "the server answered with status 304"),
      ("302 Found", "text/html", "status 302 without a Location to go to"),
      ("200 OK", "image/png", "the content type is \"image/png\", not HTML"),
      ("200 OK", "Text/Plain; charset=x", "the content type is \"text/plain\", not HTML"),
      ("200 OK", nil, "the response has no content type"),
      (
        "200 OK", "text/html\r\nContent-Type: image/png",
        "the response has several content types: \"text/html\", \"image/png\""
      ),
    ] as [(String, String?, String)])
  func noPage(status: String, type: String?, problem: String) async throws {
    let server = try LocalServer { $0.respond(status, type: type, body: Array("<title>".utf8)) }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(report.outcome == .success(nil))
    #expect(report.problem == problem)
    #expect(report.trace.requests.first?.ending == problem)
  }

  @Test(
    "a server error is no statement about the page",
    arguments: ["500 Oops", "503 Busy", "429 Too Many Requests"])
  func trouble(status: String) async throws {
    let server = try LocalServer {
      $0.respond(status, type: "text/html", body: Array("<title>Sorry</title>".utf8))
    }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(
      report.outcome
        == .failure(.failed("the server answered with status \(status.prefix(3))")))
  }

  @Test(
    "a picture or a program declared as HTML is not a page",
    arguments: [
      [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], [0xff, 0xd8, 0xff, 0xe0],
      [0x7f, 0x45, 0x4c, 0x46], [0x50, 0x4b, 0x03, 0x04], [],
    ] as [[UInt8]])
  func binary(start: [UInt8]) async throws {
    let body = start + Array((start.isEmpty ? "" : "<title>T</title>").utf8)
    let server = try LocalServer { $0.respond(body: body) }
    defer { server.stop() }
    let report = try await report(on: server.url("/"))
    #expect(report.outcome == .success(nil))
    #expect(try #require(report.problem).contains("the body is"))
  }
}
