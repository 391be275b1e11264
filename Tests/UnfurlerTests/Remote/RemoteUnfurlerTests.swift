import Basics
import Glibc
import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Remote unfurler", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct RemoteUnfurlerTests {
  private static let found = #"{"og_tag":{"og:title":"T"},"trace":{"emptiness":"x"}}"#
  private static let link = "https://example.com/a?b"

  private func unfurler(
    _ url: String, log: LogLevels = LogLevels(),
    _ change: (inout RemoteUnfurlerConfiguration) -> Void = { _ in }
  ) throws -> RemoteUnfurler {
    var configuration = RemoteUnfurlerConfiguration(url: url)
    change(&configuration)
    return try RemoteUnfurler(configuration: configuration, logger: log.logger)
  }

  private func ask(
    _ unfurler: RemoteUnfurler, deadline: Duration = .seconds(30)
  ) async throws -> UnfurlReport {
    let link = try #require(Link(Self.link))
    return await withCheckedContinuation { continuation in
      _ = unfurler.unfurl(link, deadline: deadline) { continuation.resume(returning: $0) }
    }
  }

  /// Asks a service that answers everything so.
  private func ask(
    answering body: String, _ status: String = "200 OK", headers: String = "",
    of path: String = "/"
  ) async throws -> (report: UnfurlReport, isCounted: Bool) {
    let server = try LocalServer {
      $0.respond(
        status, type: "application/json", headers: headers + "Connection: close\r\n",
        body: Array(body.utf8))
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url(path))
    defer { unfurler.shutdown() }
    let report = try await ask(unfurler)
    return (report, unfurler.serviceState != .closed(failures: 0))
  }

  @Test("the service's preview is returned, with its trace and lifetime")
  func answers() async throws {
    let (report, isCounted) = try await ask(
      answering: Self.found, headers: "Cache-Control: public, max-age=77\r\n")
    #expect(try report.outcome.get() == OpenGraphTag(title: "T"))
    #expect(report.freshness == .seconds(77))
    #expect(report.trace.emptiness == "x")
    #expect(!isCounted)
  }

  @Test("of several Cache-Control fields all count")
  func severalCacheControls() async throws {
    let (report, _) = try await ask(
      answering: Self.found, headers: "Cache-Control: max-age=77\r\nCache-Control: no-store\r\n")
    #expect(report.freshness == .seconds(0))
  }

  @Test("a kept connection that the service closes during the next request loses no response")
  func closedConnection() async throws {
    let server = try LocalServer { client in
      client.respond("200 OK", type: nil, body: Array(Self.found.utf8))
      // The next question finds the end of a connection that was good so far.
      _ = client.readHead()
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/"))
    defer { unfurler.shutdown() }
    for _ in 0..<3 { #expect(try await ask(unfurler).tag?.title == "T") }
    #expect(server.connectionCount == 3)
    #expect(unfurler.serviceState == .closed(failures: 0))
  }

  @Test("the request is a POST of JSON to the exact address, with the remaining time")
  func question() async throws {
    let seen = Mutex("")
    let server = try LocalServer { client in
      seen.withLock { $0 = client.head }
      client.respond("200 OK", type: nil, body: Array(Self.found.utf8))
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/x/unfurl?key=1"))
    defer { unfurler.shutdown() }
    _ = try await ask(unfurler, deadline: .seconds(10))
    let text = seen.withLock { $0 }
    #expect(text.hasPrefix("POST /x/unfurl?key=1 HTTP/1.1\r\n"))
    #expect(text.contains("Content-Type: application/json\r\n"))
    #expect(text.contains("User-Agent: Parley/"))
    for absent in ["Cookie", "Authorization", "Referer", "Proxy", "Expect"] {
      #expect(!text.contains("\r\n\(absent):"))
    }
    let json = text.split(separator: "\r\n\r\n").last.map { Array($0.utf8) } ?? []
    let question = try UnfurlQuestion(json: json)
    #expect(question.link.url == Self.link)
    #expect((1...10_000).contains(question.timeout ?? 0))
  }

  @Test("a failure that the service reports is the page's, and the service counts as healthy")
  func reportedFailures() async throws {
    let cases: [(String, String, UnfurlError)] = [
      ("502 Bad Gateway", #"{"error":"failed","message":"status 404"}"#, .failed("status 404")),
      ("504 Gateway Timeout", #"{"error":"timed_out","message":""}"#, .timedOut),
      ("500 Oops", #"{"error":"unknown"}"#, .unknown),
      ("400 Bad Request", #"{"error":"failed","message":"url"}"#, .failed("url")),
      ("503 Busy", #"{"error":"cancelled"}"#, .cancelled),
    ]
    for (status, body, error) in cases {
      let (report, isCounted) = try await ask(answering: body, status)
      #expect(report.outcome == .failure(error))
      #expect(report.freshness == (error == .cancelled ? .unkept : .unspecified))
      #expect(!isCounted, "\(status)")
    }
  }

  @Test("a response outside the protocol is a failure of the service, and is not cached")
  func garbage() async throws {
    let cases = [
      ("200 OK", "<html>"), ("200 OK", ""), ("200 OK", "{}"), ("404 Not Found", "nothing here"),
      ("500 Oops", "{}"), ("302 Found", Self.found), ("204 No Content", ""),
      ("200 OK", #"{"og_tag":null,"x":"\#(String(repeating: "y", count: 300_000))"}"#),
    ]
    for (status, body) in cases {
      let (report, isCounted) = try await ask(
        answering: body, status, headers: "Location: /elsewhere\r\n")
      guard case .failure(.failed(let reason)) = report.outcome else {
        Issue.record("\(status): \(report.outcome)")
        continue
      }
      #expect(reason.hasPrefix("the unfurl service http://127.0.0.1:"))
      #expect(report.freshness == .unkept)
      #expect(isCounted, "\(status)")
    }
  }

  @Test("a service that is unreachable, breaks off or does not speak HTTP is a separate failure")
  func broken() async throws {
    let handlers: [LocalServer.Handler] = [
      { _ in }, { $0.reset() }, { $0.send("SSH-2.0-x\r\n") },
      { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"og_tag\"") },
      { $0.send("HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 90_000) + "\r\n\r\n") },
    ]
    for (index, handler) in handlers.enumerated() {
      let server = try LocalServer(handler)
      defer { server.stop() }
      let unfurler = try unfurler(server.url("/"))
      defer { unfurler.shutdown() }
      let report = try await ask(unfurler)
      #expect(throws: UnfurlError.self, "\(index)") { try report.outcome.get() }
      #expect(report.freshness == .unkept)
      #expect(unfurler.serviceState == .closed(failures: 1), "\(index)")
    }
    let nobody = try unfurler("http://127.0.0.1:1/")
    defer { nobody.shutdown() }
    #expect(try await ask(nobody).freshness == .unkept)
    #expect(nobody.serviceState == .closed(failures: 1))
  }

  @Test("a service that does not respond in time gets a moment longer, and counts as down")
  func slow() async throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/")) { $0.grace = .milliseconds(50) }
    defer { unfurler.shutdown() }
    let report = try await ask(unfurler, deadline: .milliseconds(50))
    #expect(report.outcome == .failure(.timedOut))
    #expect(report.freshness == .unkept)
    #expect(unfurler.serviceState == .closed(failures: 1))
  }

  @Test("a URL that cannot be a service's is refused at once")
  func url() {
    for url in ["", "127.0.0.1:80", "ftp://a.example/", "http://user:pass@a.example/"] {
      #expect(throws: UnfurlError.self) { try unfurler(url) }
    }
  }

  @Test("over https only a certificate of a trusted authority is accepted")
  func tls() async throws {
    let authority = try TestIdentity(.authority("Test"))
    let tls = try LocalTLS(TestIdentity(.host("localhost"), issuer: authority))
    let path = try authority.writeCertificate()
    defer { unlink(path) }
    let server = try LocalServer(tls: tls) {
      $0.respond(type: "application/json", body: Array(Self.found.utf8))
    }
    defer { server.stop() }
    for (host, authorities) in [("localhost", path), ("127.0.0.1", path), ("localhost", nil)] {
      let unfurler = try unfurler("https://\(host):\(server.port)/") {
        $0.certificateAuthorities = authorities
      }
      defer { unfurler.shutdown() }
      let isTrusted = host == "localhost" && authorities != nil
      let report = try await ask(unfurler)
      #expect((report.tag != nil) == isTrusted, "\(host), \(authorities ?? "none")")
      #expect(report.freshness == (isTrusted ? .unspecified : .unkept))
    }
    #expect(server.paths.count == 1)
  }

  @Test("a service that does not speak TLS is a failure over https")
  func noTLS() async throws {
    let server = try LocalServer { $0.respond(Self.found) }
    defer { server.stop() }
    let unfurler = try unfurler("https://127.0.0.1:\(server.port)/")
    defer { unfurler.shutdown() }
    #expect(try await ask(unfurler).freshness == .unkept)
    #expect(server.paths.isEmpty)
  }

  @Test("a cancelled look-up closes its connection, which the service detects")
  func cancel() async throws {
    let (begun, endBegun) = AsyncStream<Void>.makeStream()
    let (ended, endEnded) = AsyncStream<Void>.makeStream()
    let server = try LocalServer { client in
      endBegun.finish()
      client.waitForEnd()
      endEnded.finish()
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/"))
    defer { unfurler.shutdown() }
    let link = try #require(Link(Self.link))
    let outcomes = Mutex<[Result<OpenGraphTag?, UnfurlError>]>([])
    let task = unfurler.unfurl(link, deadline: .seconds(60)) { report in
      outcomes.withLock { $0.append(report.outcome) }
    }
    for await _ in begun {}
    task.cancel()
    task.cancel()
    for await _ in ended {}
    // The connection is closed before the report is given.
    try await Deadline.standard.wait(for: "the report") { outcomes.withLock { !$0.isEmpty } }
    #expect(outcomes.withLock { $0 } == [.failure(.cancelled)])
    #expect(unfurler.serviceState == .closed(failures: 0))
  }

  @Test("a shutdown cancels running, waiting and later requests")
  func shutdown() throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/")) { $0.maximumRequests = 2 }
    let link = try #require(Link(Self.link))
    let outcomes = Mutex<[Result<OpenGraphTag?, UnfurlError>]>([])
    for _ in 0..<10 {
      _ = unfurler.unfurl(link, deadline: .seconds(60)) { report in
        outcomes.withLock { $0.append(report.outcome) }
      }
    }
    unfurler.shutdown()
    _ = unfurler.unfurl(link, deadline: .seconds(60)) { report in
      outcomes.withLock { $0.append(report.outcome) }
    }
    #expect(outcomes.withLock { $0 } == Array(repeating: .failure(.cancelled), count: 11))
  }

  @Test("connections are kept, and no more are opened than allowed")
  func keepsConnections() async throws {
    let server = try LocalServer { client in
      repeat {
        client.respond(type: "application/json", body: Array(Self.found.utf8))
      } while client.readHead()
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/")) { $0.maximumRequests = 3 }
    defer { unfurler.shutdown() }
    for _ in 0..<5 { #expect(try await ask(unfurler).tag != nil) }
    // The server notes the first request of each connection.
    #expect(server.paths.count == 1)
    let reports = try await withThrowingTaskGroup { group in
      for _ in 0..<60 { group.addTask { try await ask(unfurler) } }
      return try await group.reduce(into: [UnfurlReport]()) { $0.append($1) }
    }
    #expect(reports.allSatisfy { $0.tag != nil })
    #expect(server.paths.count <= 3)
  }

  @Test("a host with slow pages does not delay those of another")
  func hostsTakeTurns() async throws {
    let server = try LocalServer { client in
      if client.head.contains("slow.example") { return client.waitForEnd() }
      client.respond(type: "application/json", body: Array(Self.found.utf8))
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/")) {
      $0.maximumRequests = 3
      $0.maximumRequestsPerSite = 2
    }
    defer { unfurler.shutdown() }
    for number in 0..<20 {
      let link = try #require(Link("https://slow.example/\(number)"))
      _ = unfurler.unfurl(link, deadline: .seconds(60)) { _ in }
    }
    #expect(try await ask(unfurler).tag != nil)
  }

  @Test("the number of waiting links is limited, and waiting counts against the deadline")
  func waiting() async throws {
    let server = try LocalServer { $0.waitForEnd() }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/")) {
      $0.maximumRequests = 1
      $0.maximumWaiting = 2
      $0.grace = .seconds(30)
    }
    defer { unfurler.shutdown() }
    let link = try #require(Link(Self.link))
    let answers = Mutex<[UnfurlReport]>([])
    // The first one is asked and never answered.
    _ = unfurler.unfurl(link, deadline: .seconds(60).patient) { _ in }
    // In one go, so that they wait together.
    for _ in 0..<8 {
      _ = unfurler.unfurl(link, deadline: .milliseconds(300).patient) { report in
        answers.withLock { $0.append(report) }
      }
    }
    try await Deadline.standard.wait(for: "eight reports") { answers.withLock { $0.count == 8 } }
    let reports = answers.withLock { $0 }
    #expect(reports.count == 8)
    #expect(reports.allSatisfy { $0.freshness == .unkept })
    #expect(reports.contains { $0.outcome == .failure(.timedOut) })
    #expect(reports.contains { $0.problem?.contains("too many links are waiting") == true })
  }

  @Test("a service that is down is not called, then tried again, and used when it responds")
  func breaker() async throws {
    let time = Mutex<Int64>(0)
    let isUp = Mutex(false)
    let server = try LocalServer { client in
      guard isUp.withLock({ $0 }) else { return }
      client.respond(
        type: "application/json", headers: "Connection: close\r\n", body: Array(Self.found.utf8))
    }
    defer { server.stop() }
    let log = LogLevels()
    let unfurler = try unfurler(server.url("/"), log: log) {
      $0.now = { time.withLock { $0 } }
      $0.jitter = { 0 }
    }
    defer { unfurler.shutdown() }
    for _ in 0..<5 { _ = try await ask(unfurler) }
    #expect(unfurler.isServiceUp == false)
    let asked = server.paths.count
    for _ in 0..<20 {
      let report = try await ask(unfurler)
      #expect(report.freshness == .unkept)
      #expect(report.problem?.hasSuffix("is not answering; next try in 1 s") == true)
    }
    #expect(server.paths.count == asked)
    time.withLock { $0 = 1_000 }
    await #expect(throws: UnfurlError.self) { try await ask(unfurler).outcome.get() }
    #expect(unfurler.serviceState == .open(until: 3_000))
    isUp.withLock { $0 = true }
    time.withLock { $0 = 3_000 }
    #expect(try await ask(unfurler).tag != nil)
    #expect(unfurler.isServiceUp == true)
    #expect(
      log.lines == [
        "warning: the preview service does not answer",
        "notice: the preview service answers again",
      ])
  }

  @Test("while one request tries the service, the others are answered at once")
  func halfOpen() async throws {
    let time = Mutex<Int64>(0)
    let (tries, noteTry) = AsyncStream<Void>.makeStream()
    let isFirst = Mutex(true)
    let server = try LocalServer { client in
      noteTry.yield()
      let breaksOff = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if !breaksOff { client.waitForEnd() }
    }
    defer { server.stop() }
    let unfurler = try unfurler(server.url("/")) {
      $0.now = { time.withLock { $0 } }
      $0.breaker.failures = 1
    }
    defer { unfurler.shutdown() }
    var begun = tries.makeAsyncIterator()
    _ = try await ask(unfurler)
    await begun.next()
    time.withLock { $0 = 1_000 }
    let link = try #require(Link(Self.link))
    let task = unfurler.unfurl(link, deadline: .seconds(60)) { _ in }
    await begun.next()
    let refused = try await ask(unfurler)
    #expect(refused.problem?.hasSuffix("it is being tried again") == true)
    task.cancel()
    // Called off, the try says nothing, and the next link tries.
    let next = unfurler.unfurl(link, deadline: .seconds(60)) { _ in }
    await begun.next()
    next.cancel()
  }
}
