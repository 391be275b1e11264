import ClientTransport
import Synchronization
import TestSupport
import Testing

@Suite("A request of a lane", .onOwnThreads)
struct RequestTests {
  private func plan(
    to url: String, attemptTimeout: Duration = .seconds(60)
  ) throws -> ConnectionPlan {
    var settings = ConnectionSettings(
      serverURL: "ws" + url.dropFirst("http".count).prefix { $0 != "?" })
    settings.headers = [("X-Tenant", "blue"), ("User-Agent", "Lane-Test/1")]
    settings.attemptTimeout = attemptTimeout
    return try ConnectionPlan(settings).toRequest(url)
  }

  /// The failure of a request.
  private func failure(
    _ plan: ConnectionPlan, _ request: ClientRequest = ClientRequest("HEAD"), on lane: any Lane
  ) async -> ConnectionFailure? {
    do throws(ConnectionFailure) {
      _ = try await lane.response(to: request, by: plan)
      return nil
    } catch {
      return error
    }
  }

  @Test("has its method, fields and body, and the whole response", arguments: LaneKind.allCases)
  func exchange(on kind: LaneKind) async throws {
    let server = try AnswerServer { _ in
      AnswerServer.text("409 Conflict", "Upload-Offset: 17\r\nRetry-After: 3\r\n", body: "no")
    }
    defer { server.stop() }
    let lane = try kind.lane()
    var request = ClientRequest("PATCH")
    request.fields = [("Content-Type", "application/offset+octet-stream"), ("Upload-Offset", "0")]
    request.body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let response = try await lane.response(to: request, by: plan(to: server.url("/u/1?x=%20")))
    #expect(response.status == 409 && response.body == Array("no".utf8))
    #expect(response["upload-offset"] == "17" && response.retryAfter == 3000)
    let received = try #require(server.requests.first)
    #expect(received.method == "PATCH" && received.path == "/u/1?x=%20")
    #expect(received.body == request.body)
    #expect(received.fields["host"] == "127.0.0.1:\(server.port)")
    #expect(received.fields["content-type"] == "application/offset+octet-stream")
    #expect(received.fields["upload-offset"] == "0")
    #expect(received.fields["x-tenant"] == "blue")
    #expect(received.fields["user-agent"] == "Lane-Test/1")
    #expect(received.fields["cookie"] == nil)
  }

  @Test(
    "has a response in parts as it arrives, and none after the end", arguments: LaneKind.allCases)
  func parts(on kind: LaneKind) async throws {
    let server = try AnswerServer { request in
      switch request.path {
      case "/chunks":
        let head = "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
        return Array((head + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").utf8)
      case "/end": return Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcde".utf8)
      default: return Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcde".utf8)
      }
    }
    defer { server.stop() }
    let lane = try kind.lane()
    for path in ["/chunks", "/end", "/cut"] {
      let plan = try plan(to: server.url(path))
      let parts = Mutex<[ResponsePart]>([])
      lane.run { context in
        _ = context.request(ClientRequest("GET"), by: plan) { part in
          parts.withLock { $0.append(part) }
        }
        #expect(parts.withLock { $0.isEmpty })
      }
      try await Deadline.standard.wait(for: "the end of \(path)") {
        switch parts.withLock({ $0.last }) {
        case .end?, .failed?: true
        case .head?, .body?, nil: false
        }
      }
      var body: [UInt8] = []
      for (index, part) in parts.withLock({ $0 }).enumerated() {
        switch part {
        case .head(let head): #expect(index == 0 && head.status == 200 && head.body.isEmpty)
        case .body(let piece): body += piece
        case .end: #expect(path != "/cut")
        case .failed(let failure): #expect(path == "/cut" && failure.kind == .temporary)
        }
      }
      #expect(body == Array("abcde".utf8), "\(path)")
    }
  }

  @Test(
    "has no further parts once it is cancelled, even by the receiver of one",
    arguments: LaneKind.allCases)
  func cancelledByReceiver(on kind: LaneKind) async throws {
    let server = try AnswerServer { _ in AnswerServer.text("200 OK", body: "abc") }
    defer { server.stop() }
    let lane = try kind.lane()
    let plan = try plan(to: server.url("/a"))
    let parts = Mutex<[ResponsePart]>([])
    lane.run { context in
      var request: (any LaneRequest)?
      request = context.request(ClientRequest("GET"), by: plan) { part in
        parts.withLock { $0.append(part) }
        request?.cancel()
      }
    }
    try await Deadline.standard.wait(for: "the head") { !parts.withLock { $0.isEmpty } }
    // A later request on the same lane comes after what the first one would report.
    _ = try await lane.response(to: ClientRequest("GET"), by: plan)
    #expect(parts.withLock { $0.count } == 1)
  }

  @Test("for the head alone has no body", arguments: LaneKind.allCases)
  func head(on kind: LaneKind) async throws {
    let server = try AnswerServer { _ in
      Array("HTTP/1.1 200 OK\r\nUpload-Offset: 5\r\nContent-Length: 99\r\n\r\n".utf8)
    }
    defer { server.stop() }
    let lane = try kind.lane()
    let response = try await lane.response(
      to: ClientRequest("HEAD"), by: plan(to: server.url("/u")))
    #expect(response.status == 200 && response.body.isEmpty)
    #expect(response["Upload-Offset"] == "5")
    #expect(server.requests.map(\.method) == ["HEAD"])
  }

  @Test("is not repeated to where the server redirects", arguments: LaneKind.allCases)
  func redirect(on kind: LaneKind) async throws {
    let server = try AnswerServer { request in
      request.path == "/u"
        ? AnswerServer.text("307 Temporary Redirect", "Location: /elsewhere\r\n")
        : AnswerServer.text("200 OK")
    }
    defer { server.stop() }
    let lane = try kind.lane()
    var request = ClientRequest("PATCH")
    request.body = [1, 2, 3]
    let response = try await lane.response(to: request, by: plan(to: server.url("/u")))
    #expect(response.status == 307)
    #expect(server.requests.map(\.path) == ["/u"])
  }

  @Test("keeps no cookies", arguments: LaneKind.allCases)
  func cookies(on kind: LaneKind) async throws {
    let server = try AnswerServer { _ in
      AnswerServer.text("200 OK", "Set-Cookie: a=b; Path=/\r\n")
    }
    defer { server.stop() }
    let lane = try kind.lane()
    for _ in 0..<2 {
      _ = try await lane.response(to: ClientRequest("GET"), by: plan(to: server.url("/u")))
    }
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.fields["cookie"] == nil })
  }

  @Test(
    "can be repeated when nothing listens, or the server ends early", arguments: LaneKind.allCases)
  func unreachable(on kind: LaneKind) async throws {
    let lane = try kind.lane()
    let closed = try plan(to: "http://127.0.0.1:\(FreePort.choose())/u")
    #expect(await failure(closed, on: lane)?.kind == .temporary)
    let server = try AnswerServer { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123".utf8)
    }
    defer { server.stop() }
    let cut = try plan(to: server.url("/u"))
    #expect(await failure(cut, ClientRequest("GET"), on: lane)?.kind == .temporary)
  }

  @Test("ends after its time limit", arguments: LaneKind.allCases)
  func silent(on kind: LaneKind) async throws {
    let server = try AnswerServer { _ in nil }
    defer { server.stop() }
    let lane = try kind.lane()
    var request = ClientRequest("GET")
    request.timeout = .milliseconds(50)
    let plan = try plan(to: server.url("/u"), attemptTimeout: .milliseconds(200))
    #expect(await failure(plan, request, on: lane)?.kind == .temporary)
  }

  @Test("ends with its task", arguments: LaneKind.allCases)
  func cancelled(on kind: LaneKind) async throws {
    let server = try AnswerServer { _ in nil }
    defer { server.stop() }
    let lane = try kind.lane()
    let plan = try plan(to: server.url("/u"))
    let task = Task { await failure(plan, on: lane) }
    try await Deadline.standard.wait(for: "the request") { !server.requests.isEmpty }
    task.cancel()
    #expect(await task.value == ConnectionFailure(.lost, "the request was cancelled"))
  }
}
