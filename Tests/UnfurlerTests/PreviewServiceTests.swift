import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import Testing

@testable import Unfurler

@Suite("Preview service")
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

  @Test("many who ask for one link cause one fetch and are each answered once")
  func singleFlight() throws {
    let service = makeService()
    let link = try #require(Link("https://example.com/"))
    let answers = Mutex<[OpenGraphTag?]>([])
    #expect(service.lookUp(link) == .unknown)
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
    #expect(service.counters == expected)
  }

  @Test(
    "a link without a preview is not asked for again for a while",
    arguments: [
      .success(nil), .failure(.failed("x")), .failure(.timedOut), .failure(.unknown),
    ] as [Result<OpenGraphTag?, UnfurlError>])
  func negative(result: Result<OpenGraphTag?, UnfurlError>) throws {
    let outcomes = Mutex<[PreviewFetchOutcome]>([])
    let service = makeService { outcome, _ in outcomes.withLock { $0.append(outcome) } }
    let link = try #require(Link("https://example.com/"))
    service.request(link) { #expect($0 == nil) }
    unfurler.answer(link, with: result)
    #expect(service.lookUp(link) == .none)
    #expect(outcomes.withLock { $0.count } == 1)
    clock.advance(by: 300_000)
    #expect(service.lookUp(link) == .unknown)
  }

  @Test("a shutdown answers everybody who waits, and cancels the fetches")
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
    #expect(service.lookUp(link) == .unknown)
    service.request(link) { _ in answers.withLock { $0 += 1 } }
    #expect(answers.withLock { $0 } == 4)
    #expect(unfurler.links.count == 1)
  }
}

/// An unfurler that answers when a test says so.
final class ScriptedUnfurler: Unfurler {
  typealias Completion = @Sendable (UnfurlReport) -> Void

  private struct State {
    var links: [Link] = []
    var cancelled: [Link] = []
    var completions: [Link: Completion] = [:]
  }

  private let state = Mutex(State())

  var links: [Link] { state.withLock { $0.links } }
  var cancelled: [Link] { state.withLock { $0.cancelled } }

  func unfurl(
    _ link: Link, deadline: Duration, completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    state.withLock { state in
      state.links.append(link)
      state.completions[link] = completion
    }
    return UnfurlTask { [self] in state.withLock { $0.cancelled.append(link) } }
  }

  func answer(_ link: Link, with result: Result<OpenGraphTag?, UnfurlError>) {
    let isCancelled = result == .failure(.cancelled)
    let report = UnfurlReport(result, freshness: isCancelled ? .unkept : .unspecified)
    state.withLock { $0.completions.removeValue(forKey: link) }?(report)
  }
}
