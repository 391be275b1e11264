import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Previews on demand", .onOwnThreads)
struct PreviewDemandTests {
  private let unfurler = ScriptedUnfurler()
  private let clock = ManualClock()
  private let timers = ManualTimers()
  private let outcomes = Outcomes()
  private let tag = OpenGraphTag(title: "T")

  private func makeService(_ domains: DomainRules = DomainRules()) -> PreviewService {
    let timers = timers
    return PreviewService(
      unfurler: unfurler, cache: PreviewCache(nil, clock), logger: Logger(label: "test"),
      domains: domains, timer: { timers.add($0, $1) })
  }

  private func demand(
    _ link: Link, of service: PreviewService, _ name: String = "",
    within timeout: Duration = .seconds(1)
  ) -> PreviewDemand {
    service.demand(link, for: .operation, within: timeout) { [outcomes] in outcomes.add($0, name) }
  }

  @Test("the result of a fetch is returned and cached completely")
  func answers() async throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service)
    unfurler.answer(link, UnfurlReport(.success(tag), siteName: "Site"))
    #expect(outcomes.all == [PreviewOutcome(tag: tag, siteName: "Site")])
    let recalled = await service.recalled(link)
    #expect(recalled == PreviewOutcome(tag: tag, siteName: "Site", isCached: true))
  }

  @Test(
    "a failure is returned with its kind",
    arguments: [
      (.failed("x"), .failed, "x"), (.unknown, .unknown, "unknown error"),
    ] as [(UnfurlError, UnfurlError.Kind, String)])
  func fails(error: UnfurlError, kind: UnfurlError.Kind, reason: String) async throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service)
    unfurler.answer(link, with: .failure(error))
    #expect(outcomes.all == [PreviewOutcome(problem: PreviewProblem(kind, reason))])
    #expect(await service.recalled(link)?.problem == PreviewProblem(kind, reason))
  }

  @Test("a page without a preview is not a failure")
  func offersNothing() async throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service)
    unfurler.answer(link, .empty)
    #expect(outcomes.all == [PreviewOutcome()])
    #expect(await service.recalled(link) == PreviewOutcome(isCached: true))
  }

  @Test("the last cancellation ends the fetch; the other requests are answered")
  func cancels() throws {
    let service = makeService()
    let link = try Previews.link("a")
    let first = demand(link, of: service, "first")
    let second = demand(link, of: service, "second")
    first.cancel()
    first.cancel()
    #expect(outcomes.named == ["first": .cancelled])
    #expect(unfurler.cancelled.isEmpty)
    second.cancel()
    #expect(outcomes.named == ["first": .cancelled, "second": .cancelled])
    #expect(unfurler.cancelled == [link])
    unfurler.answer(link, with: .failure(.cancelled))
    #expect(service.counters.inFlight == 0)
    #expect(outcomes.all.count == 2)
  }

  @Test("a fetch continues for a message, and when it refreshes an entry")
  func keepsFetch() throws {
    let service = makeService()
    let link = try Previews.link("a")
    let demand = demand(link, of: service)
    let answers = Mutex<[OpenGraphTag?]>([])
    service.request(link) { answer in answers.withLock { $0.append(answer) } }
    demand.cancel()
    #expect(unfurler.cancelled.isEmpty)
    unfurler.answer(link, with: .success(tag))
    #expect(answers.withLock { $0 } == [tag])
  }

  @Test("a request that arrives while a fetch is being cancelled starts another")
  func fetchesAgain() throws {
    let service = makeService()
    let link = try Previews.link("a")
    demand(link, of: service, "first").cancel()
    _ = demand(link, of: service, "second")
    #expect(unfurler.links == [link])
    unfurler.answer(link, with: .failure(.cancelled))
    #expect(unfurler.links == [link, link])
    unfurler.answer(link, with: .success(tag))
    #expect(outcomes.named["second"] == PreviewOutcome(tag: tag))
    #expect(unfurler.cancelled == [link])
  }

  @Test("each request ends at its own time limit")
  func timesOut() throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service, "short", within: .milliseconds(100))
    _ = demand(link, of: service, "long", within: .seconds(9))
    timers.fire(upTo: .milliseconds(100))
    let timedOut = PreviewOutcome(
      problem: PreviewProblem(.timedOut, "no answer within 100 ms"))
    #expect(outcomes.named == ["short": timedOut])
    #expect(unfurler.cancelled.isEmpty)
    unfurler.answer(link, with: .success(tag))
    timers.fire(upTo: .seconds(10))
    #expect(outcomes.named == ["short": timedOut, "long": PreviewOutcome(tag: tag)])
  }

  @Test("a short request does not shorten the fetch for requests that join it")
  func keepsUsualTime() throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service, "short", within: .milliseconds(100))
    #expect(unfurler.deadlines[0] >= .seconds(5))
    service.request(link) { _ in }
    timers.fire(upTo: .milliseconds(100))
    #expect(unfurler.cancelled.isEmpty)
    unfurler.answer(link, with: .success(tag))
    #expect(service.lookUp(link) == .found(tag))
  }

  @Test("a request that joins a shorter fetch gets another when that fetch times out")
  func fetchesLonger() throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service, "short", within: .seconds(5))
    _ = demand(link, of: service, "long", within: .seconds(20))
    unfurler.answer(link, with: .failure(.timedOut))
    #expect(outcomes.named.keys.sorted() == ["short"])
    #expect(unfurler.links == [link, link])
    #expect(unfurler.deadlines[1] > .seconds(10))
    // Another time-out is the last.
    unfurler.answer(link, with: .failure(.timedOut))
    #expect(outcomes.named["long"]?.problem?.kind == .timedOut)
    #expect(unfurler.links.count == 2)
    #expect(service.counters.inFlight == 0)
  }

  @Test("a cached time-out does not answer a request, but answers a message")
  func forgetsTimeOuts() async throws {
    let service = makeService()
    let link = try Previews.link("a")
    service.request(link) { _ in }
    unfurler.answer(link, with: .failure(.timedOut))
    #expect(service.lookUp(link) == .none)
    #expect(await service.recalled(link) == nil)
    _ = demand(link, of: service)
    #expect(unfurler.links.count == 2)
  }

  @Test("a link that the operator refuses fails, and is not fetched")
  func refuses() async throws {
    let service = makeService(try DomainRules(allowed: [], denied: [Domain("example.com")]))
    let link = try Previews.link("a")
    #expect(await service.recalled(link)?.problem?.kind == .failed)
    _ = demand(link, of: service)
    #expect(outcomes.all.map(\.problem?.kind) == [.failed])
    #expect(unfurler.links.isEmpty)
  }

  @Test("a shutdown cancels requests")
  func shutdown() throws {
    let service = makeService()
    let link = try Previews.link("a")
    _ = demand(link, of: service, "before")
    service.shutdown()
    _ = demand(link, of: service, "after")
    #expect(outcomes.named == ["before": .cancelled, "after": .cancelled])
  }
}

extension PreviewService {
  fileprivate func recalled(_ link: Link) async -> PreviewOutcome? {
    await withCheckedContinuation { continuation in
      recall(link, for: .operation) { continuation.resume(returning: $0) }
    }
  }
}

/// The outcomes of requests, by their names.
private final class Outcomes: Sendable {
  private let list = Mutex<[(String, PreviewOutcome)]>([])

  func add(_ outcome: PreviewOutcome, _ name: String) {
    list.withLock { $0.append((name, outcome)) }
  }

  var all: [PreviewOutcome] { list.withLock { $0.map(\.1) } }
  /// Fails when a request was answered twice.
  var named: [String: PreviewOutcome] {
    list.withLock { Dictionary(uniqueKeysWithValues: $0) }
  }
}

/// Timers that a test fires.
private final class ManualTimers: Sendable {
  private let waiting = Mutex<[(Duration, @Sendable () -> Void)]>([])

  func add(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append((duration, body)) }
  }

  func fire(upTo duration: Duration) {
    let due = waiting.withLock { waiting in
      defer { waiting.removeAll { $0.0 <= duration } }
      return waiting.filter { $0.0 <= duration }
    }
    for (_, body) in due { body() }
  }
}
