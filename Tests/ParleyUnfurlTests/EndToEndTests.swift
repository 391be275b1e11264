import Basics
import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport
import Testing
import Unfurler

@Suite("Remote unfurler and parley-unfurl", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct EndToEndTests {
  private func unfurler(
    _ url: String, _ change: (inout RemoteUnfurlerConfiguration) -> Void = { _ in }
  ) throws -> RemoteUnfurler {
    var configuration = RemoteUnfurlerConfiguration(url: url)
    change(&configuration)
    return try RemoteUnfurler(configuration: configuration, logger: Logger(label: "test"))
  }

  private func ask(
    _ unfurler: any Unfurler, _ url: String, deadline: Duration = .seconds(20)
  ) async throws -> UnfurlReport {
    let link = try #require(Link(url))
    return await withCheckedContinuation { continuation in
      _ = unfurler.unfurl(link, for: .operation, deadline: deadline) {
        continuation.resume(returning: $0)
      }
    }
  }

  @Test("a preview passes through the service unchanged")
  func preview() async throws {
    let pages = try PageServer(
      page: """
        <meta property="og:title" content="A &amp; B"><meta property="og:image" content="/i.png">
        """)
    defer { pages.stop() }
    let service = try ServiceChild()
    let unfurler = try unfurler(service.url)
    defer { unfurler.shutdown() }
    let report = try await ask(unfurler, pages.url("/x"))
    #expect(report.tag?.title == "A & B")
    #expect(report.tag?.image?.url == pages.url("/i.png"))
    #expect(pages.requestedPaths == ["/x"])
  }

  @Test("the reason for a missing preview passes through as well")
  func reasons() async throws {
    let pages = try PageServer(page: "nothing")
    defer { pages.stop() }
    let service = try ServiceChild()
    let unfurler = try unfurler(service.url)
    defer { unfurler.shutdown() }
    let empty = try await ask(unfurler, pages.url("/"))
    #expect(try empty.outcome.get() == nil)
    #expect(empty.problem != nil)
    let hanging = try HangingServer()
    defer { hanging.stop() }
    let slow = try await ask(unfurler, hanging.url, deadline: .milliseconds(300))
    #expect(slow.outcome == .failure(.timedOut))
    #expect(unfurler.serviceState == .closed(failures: 0))
  }

  @Test("many links at once are all answered")
  func many() async throws {
    let pages = try PageServer(page: "<title>T</title>")
    defer { pages.stop() }
    let service = try ServiceChild()
    let unfurler = try unfurler(service.url)
    defer { unfurler.shutdown() }
    let titles = try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask { try await ask(unfurler, pages.url("/\(number)")).tag?.title }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(titles == Array(repeating: "T", count: 200))
    #expect(Set(pages.requestedPaths).count == 200)
  }

  @Test("cancelling a look-up reaches the page's server through both of them")
  func cancels() throws {
    let pages = try HangingServer()
    defer { pages.stop() }
    let service = try ServiceChild()
    let unfurler = try unfurler(service.url)
    defer { unfurler.shutdown() }
    let link = try #require(Link(pages.url))
    let outcomes = Mutex<[Result<OpenGraphTag?, UnfurlError>]>([])
    let task = unfurler.unfurl(link, for: .operation, deadline: .seconds(60)) { report in
      outcomes.withLock { $0.append(report.outcome) }
    }
    try Deadline.standard.wait(for: "a fetch") { pages.asked == 1 }
    task.cancel()
    try Deadline.standard.wait(for: "the end of the fetch") { pages.gone == 1 }
    // The page's server may notice first.
    try Deadline.standard.wait(for: "an outcome") { outcomes.withLock { !$0.isEmpty } }
    #expect(outcomes.withLock { $0 } == [.failure(.cancelled)])
  }

  @Test("a killed service is not called, and is called again when it is back")
  func restart() async throws {
    let pages = try PageServer(page: "<title>T</title>")
    defer { pages.stop() }
    // The second one starts on the same port.
    let first = try ServiceChild(port: FreePort.choose())
    let unfurler = try unfurler(first.url) {
      $0.breaker.firstWait = 20
      $0.breaker.longestWait = 100
    }
    defer { unfurler.shutdown() }
    #expect(try await ask(unfurler, pages.url("/1")).tag?.title == "T")
    try first.kill()
    for _ in 0..<5 {
      let report = try await ask(unfurler, pages.url("/2"))
      #expect(throws: UnfurlError.self) { try report.outcome.get() }
      #expect(report.freshness == .unkept)
    }
    #expect(unfurler.isServiceUp == false)
    let second = try ServiceChild(port: first.port)
    let deadline = Deadline.standard
    while try await ask(unfurler, pages.url("/3")).tag == nil {
      try #require(!deadline.hasPassed, "the service is back, but not asked")
    }
    #expect(unfurler.isServiceUp == true)
    #expect(second.process.isRunning)
  }

  @Test("a service that is killed midway is a failure, not a hang")
  func killedMidway() throws {
    let pages = try HangingServer()
    defer { pages.stop() }
    let service = try ServiceChild()
    let unfurler = try unfurler(service.url)
    defer { unfurler.shutdown() }
    let link = try #require(Link(pages.url))
    let freshness = Mutex<Freshness?>(nil)
    _ = unfurler.unfurl(link, for: .operation, deadline: .seconds(60)) { report in
      freshness.withLock { $0 = report.freshness }
    }
    try Deadline.standard.wait(for: "a fetch") { pages.asked == 1 }
    try service.kill()
    try Deadline.standard.wait(for: "an answer") { freshness.withLock { $0 } != nil }
    #expect(freshness.withLock { $0 } == .unkept)
    #expect(unfurler.serviceState == .closed(failures: 1))
  }
}
