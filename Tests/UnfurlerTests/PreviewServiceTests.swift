import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview service", .onOwnThreads)
struct PreviewServiceTests {
  private let unfurler = ScriptedUnfurler()
  private let clock = ManualClock()

  private func makeService(
    observeFetch: @escaping PreviewService.FetchObserver = { _, _ in }
  ) -> PreviewService {
    let logger = Logger(label: "test")
    return PreviewService(
      unfurler: unfurler, cache: PreviewCache(directory: nil, logger: logger, now: clock.read),
      logger: logger, observeFetch: observeFetch)
  }

  private let tag = OpenGraphTag(title: "T")

  @Test("many requests for one link cause one fetch and are each answered once")
  func singleFlight() throws {
    let service = makeService()
    let link = try #require(Link("https://example.com/"))
    let answers = Mutex<[OpenGraphTag?]>([])
    #expect(service.lookUp(link) == .unknown(link))
    for _ in 0..<5 { service.request(link) { answer in answers.withLock { $0.append(answer) } } }
    #expect(unfurler.links == [link])
    #expect(service.counters.inFlight == 1)
    unfurler.answer(link, with: .success(tag))
    #expect(answers.withLock { $0 } == Array(repeating: tag, count: 5))
    #expect(service.lookUp(link) == .found(tag))
    service.request(link) { answer in answers.withLock { $0.append(answer) } }
    #expect(answers.withLock { $0.count } == 6)
    #expect(unfurler.links == [link])
    var expected = PreviewCounters()
    expected.hits = 1
    expected.misses = 1
    expected.found = 1
    expected.cachedEntries = 1
    expected.cachedBytes = 384 + 2 * 20 + 1
    #expect(service.counters == expected)
  }

  @Test("of several links, the next one is fetched when one has no preview")
  func severalLinks() throws {
    let service = makeService()
    let links = try (1...4).map { try #require(Link("https://example.com/\($0)")) }
    service.request(links[2]) { #expect($0 == nil) }
    unfurler.answer(links[2], with: .success(nil))
    let answers = Mutex<[OpenGraphTag?]>([])
    service.request(firstOf: links, for: .operation) { answer in
      answers.withLock { $0.append(answer) }
    }
    unfurler.answer(links[0], with: .success(nil))
    unfurler.answer(links[1], with: .failure(.failed("x")))
    #expect(unfurler.links == [links[2], links[0], links[1], links[3]])
    unfurler.answer(links[3], with: .success(tag))
    #expect(answers.withLock { $0 } == [tag])
    service.request(firstOf: Array(links.prefix(1)), for: .operation) { answer in
      answers.withLock { $0.append(answer) }
    }
    service.request(firstOf: links, for: .operation) { answer in
      answers.withLock { $0.append(answer) }
    }
    #expect(answers.withLock { $0 } == [tag, nil, tag])
  }

  @Test(
    "a link without a preview is not fetched again for a while",
    arguments: [
      .success(nil), .failure(.failed("x")), .failure(.timedOut), .failure(.unknown),
    ] as [Result<OpenGraphTag?, UnfurlError>])
  func negative(result: Result<OpenGraphTag?, UnfurlError>) throws {
    let outcomes = Mutex<[FetchOutcome]>([])
    let service = makeService { outcome, _ in outcomes.withLock { $0.append(outcome) } }
    let link = try #require(Link("https://example.com/"))
    service.request(link) { #expect($0 == nil) }
    unfurler.answer(link, with: result)
    #expect(service.lookUp(link) == .none)
    #expect(outcomes.withLock { $0.count } == 1)
    clock.advance(by: 300_000)
    #expect(service.lookUp(link) == .unknown(link))
  }

  @Test("a shutdown answers all waiting requests, and cancels the fetches")
  func shutdown() throws {
    let service = makeService()
    let link = try #require(Link("https://example.com/"))
    let answers = Mutex(0)
    for _ in 0..<3 { service.request(link) { _ in answers.withLock { $0 += 1 } } }
    service.shutdown()
    #expect(answers.withLock { $0 } == 3)
    #expect(unfurler.cancelled == [link])
    unfurler.answer(link, with: .failure(.cancelled))
    #expect(answers.withLock { $0 } == 3)
    #expect(service.lookUp(link) == .unknown(link))
    service.request(link) { _ in answers.withLock { $0 += 1 } }
    #expect(answers.withLock { $0 } == 4)
    #expect(unfurler.links.count == 1)
  }

  @Test("links that the operator refuses have no preview, even when one is cached")
  func refusal() throws {
    let cache = PreviewCache(nil, clock)
    let service = PreviewService(unfurler: unfurler, cache: cache, logger: Logger(label: "test"))
    let link = try #require(Link("https://example.com/"))
    service.request(link) { _ in }
    unfurler.answer(link, with: .success(tag))
    #expect(service.lookUp(link) == .found(tag))
    let refusing = PreviewService(
      unfurler: unfurler, cache: cache, logger: Logger(label: "test"),
      domains: try DomainRules(allowed: [], denied: [Domain("example.com")]))
    #expect(refusing.lookUp(link) == .none)
    #expect(refusing.lookUp(link) == .none)
    #expect(unfurler.links.count == 1)
    #expect(refusing.counters.refusedByPolicy == 2)
  }
}
