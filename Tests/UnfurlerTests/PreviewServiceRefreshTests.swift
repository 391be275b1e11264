import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview service, refreshing", .onOwnThreads)
struct PreviewServiceRefreshTests {
  private let unfurler = ScriptedUnfurler()
  private let clock = ManualClock()
  private let old = OpenGraphTag(title: "old")
  private let new = OpenGraphTag(title: "new")

  /// A service that knows a stale preview of `link`.
  private func makeService(
    _ link: Link, directory: String? = nil, _ limits: PreviewCache.Limits = .init()
  ) -> PreviewService {
    let cache = PreviewCache(directory, clock, limits)
    cache.insert(report: .found(old, .seconds(300)), for: link)
    clock.advance(by: 300_000)
    return PreviewService(
      unfurler: unfurler, cache: cache, logger: Logger(label: "test"))
  }

  @Test("a stale preview is shown at once, and refreshed by one fetch for any number of requests")
  func singleFlight() throws {
    let link = try Previews.link("a")
    let service = makeService(link)
    for _ in 0..<5 { #expect(service.lookUp(link) == .found(old)) }
    #expect(unfurler.links == [link])
    #expect(service.counters.staleHits == 5 && service.counters.refreshes == 1)
    #expect(service.counters.inFlight == 1)
    unfurler.answer(link, .found(new))
    #expect(service.lookUp(link) == .found(new))
    #expect(unfurler.links == [link])
    #expect(service.counters.hits == 1 && service.counters.found == 1)
    #expect(service.counters.inFlight == 0)
  }

  @Test("many threads that find a stale preview cause one fetch")
  func threads() async throws {
    let link = try Previews.link("a")
    let service = makeService(link)
    await withTaskGroup { group in
      for _ in 0..<16 {
        group.addTask { [old] in
          for _ in 0..<100 { #expect(service.lookUp(link) == .found(old)) }
        }
      }
    }
    #expect(unfurler.links == [link])
    #expect(service.counters.staleHits == 1_600)
  }

  @Test("a refresh that fails keeps the stale preview, and is not repeated for a while")
  func failure() throws {
    let link = try Previews.link("a")
    let service = makeService(link)
    let answers = Mutex<[OpenGraphTag?]>([])
    #expect(service.lookUp(link) == .found(old))
    service.request(link) { answer in answers.withLock { $0.append(answer) } }
    clock.advance(by: 10_000)
    unfurler.answer(link, with: .failure(.timedOut))
    #expect(answers.withLock { $0 } == [old])
    clock.advance(by: 299_999)
    #expect(service.lookUp(link) == .found(old))
    #expect(unfurler.links.count == 1)
    clock.advance(by: 1)
    #expect(service.lookUp(link) == .found(old))
    #expect(unfurler.links.count == 2)
  }

  @Test("a refresh that finds no preview replaces the stale one")
  func emptied() throws {
    let link = try Previews.link("a")
    let service = makeService(link)
    #expect(service.lookUp(link) == .found(old))
    unfurler.answer(link, with: .success(nil))
    #expect(service.lookUp(link) == .none)
  }

  @Test("a look-up that joins a fetch in progress starts no other")
  func joining() throws {
    let link = try Previews.link("a")
    let service = makeService(link)
    // Memory knows it as stale, so a request is answered with it and begins the refresh.
    let answers = Mutex<[OpenGraphTag?]>([])
    service.request(link) { answer in answers.withLock { $0.append(answer) } }
    #expect(answers.withLock { $0 } == [old])
    #expect(service.lookUp(link) == .found(old))
    #expect(unfurler.links == [link])
  }

  @Test("a stale preview found only in the file answers a request, and is refreshed")
  func fromFile() async throws {
    try await Previews.withDirectory { directory in
      let link = try Previews.link("a")
      var limits = PreviewCache.Limits()
      limits.maximumEntries = 1
      let service = makeService(link, directory: directory, limits)
      service.cache.insert(report: .empty, for: try Previews.link("b"))
      #expect(service.lookUp(link) == .unknown(link))
      let answer = await withCheckedContinuation { continuation in
        service.request(link) { continuation.resume(returning: $0) }
      }
      #expect(answer == old)
      service.cache.settle()
      #expect(unfurler.links == [link])
      service.cache.close()
    }
  }

  @Test("a shutdown cancels a refresh, and starts no other")
  func shutdown() throws {
    let link = try Previews.link("a")
    let service = makeService(link)
    #expect(service.lookUp(link) == .found(old))
    service.shutdown()
    #expect(unfurler.cancelled == [link])
    clock.advance(by: 300_000)
    #expect(service.lookUp(link) == .found(old))
    #expect(unfurler.links.count == 1)
    unfurler.answer(link, .cancelled)
    #expect(service.lookUp(link) == .found(old))
  }
}
