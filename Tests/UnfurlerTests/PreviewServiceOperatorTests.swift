import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview service, for operators", .onOwnThreads)
struct PreviewServiceOperatorTests {
  private let unfurler = ScriptedUnfurler()
  private let clock = ManualClock()
  private let old = OpenGraphTag(title: "old")
  private let new = OpenGraphTag(title: "new")

  private func makeService(
    domains: DomainRules = DomainRules()
  ) -> PreviewService {
    PreviewService(
      unfurler: unfurler, cache: PreviewCache(nil, clock), logger: Logger(label: "test"),
      domains: domains)
  }

  private func purged(_ service: PreviewService, _ selection: PreviewSelection) async -> Int? {
    await withCheckedContinuation { continuation in
      service.purge(selection) { continuation.resume(returning: $0) }
    }
  }

  private func purge(
    _ service: PreviewService, _ selection: PreviewSelection, whileFetching link: Link
  ) async -> OpenGraphTag? {
    let answers = Mutex<[OpenGraphTag?]>([])
    service.request(link) { answer in answers.withLock { $0.append(answer) } }
    _ = await purged(service, selection)
    unfurler.answer(link, .found(new))
    return answers.withLock { $0 }.first ?? nil
  }

  @Test("a fetch in progress answers waiting requests, but its result is not cached after a purge")
  func purging() async throws {
    let service = makeService()
    let link = try Previews.link("a")
    for selection in [PreviewSelection.all, .link(link), .domain("com")] {
      #expect(await purge(service, selection, whileFetching: link) == new)
      #expect(service.lookUp(link) == .unknown(link))
    }
    let answer = await purge(service, .domain("example.net"), whileFetching: link)
    #expect(answer == new)
    #expect(service.lookUp(link) == .found(new))
    #expect(await purged(service, .domain("example.com")) == 1)
    #expect(service.lookUp(link) == .unknown(link))
  }

  @Test("the result of an explanation is not cached after a purge either")
  func purgedExplanation() async throws {
    let service = makeService()
    let link = try Previews.link("a")
    let titles = Mutex<[String?]>([])
    service.explain(link) { answer in titles.withLock { $0.append(answer.report.tag?.title) } }
    service.cache.settle()
    _ = await purged(service, .all)
    unfurler.answer(link, .found(new))
    #expect(titles.withLock { $0 } == ["new"])
    #expect(service.lookUp(link) == .unknown(link))
  }

  @Test("an explanation fetches again, shows the cached entry, and is cached")
  func explaining() throws {
    let service = makeService()
    let link = try Previews.link("a")
    let remembered = service.cache.insert(report: .found(old), for: link)
    let answers = Mutex<[PreviewExplanation]>([])
    service.explain(link) { answer in answers.withLock { $0.append(answer) } }
    service.cache.settle()
    #expect(unfurler.links == [link] && service.counters.inFlight == 1)
    unfurler.answer(link, .found(new))
    let answer = try #require(answers.withLock { $0.first })
    #expect(answer.link == link && answer.cached == remembered && answer.report.tag == new)
    #expect(service.lookUp(link) == .found(new))
    #expect(service.counters.inFlight == 0)
  }

  @Test("an explanation that fails does not remove a preview")
  func failedExplanation() throws {
    let service = makeService()
    let link = try Previews.link("a")
    service.cache.insert(report: .found(old), for: link)
    let problems = Mutex<[String?]>([])
    service.explain(link) { answer in problems.withLock { $0.append(answer.report.problem) } }
    service.cache.settle()
    unfurler.answer(link, with: .failure(.timedOut))
    #expect(problems.withLock { $0 } == ["timed out"])
    #expect(service.lookUp(link) == .found(old))
  }

  @Test("a refused link is explained with the reason, and not fetched")
  func refusedExplanation() throws {
    let service = makeService(
      domains: try DomainRules(allowed: [], denied: [Domain("example.com")]))
    let problems = Mutex<[String?]>([])
    service.explain(try Previews.link("a")) { answer in
      problems.withLock { $0.append(answer.report.problem) }
    }
    service.cache.settle()
    #expect(problems.withLock { $0 } == ["the domain example.com is denied"])
    #expect(unfurler.links.isEmpty)
  }

  @Test("eight explanations run at a time, and a ninth is refused")
  func tooMany() throws {
    let service = makeService()
    let problems = Mutex<[String?]>([])
    for number in 0..<9 {
      service.explain(try Previews.link("\(number)")) { answer in
        problems.withLock { $0.append(answer.report.problem) }
      }
    }
    service.cache.settle()
    #expect(problems.withLock { $0 } == ["too many links are being explained"])
    #expect(unfurler.links.count == 8)
    unfurler.answer(try Previews.link("3"), .found(new))
    service.explain(try Previews.link("9")) { _ in }
    service.cache.settle()
    #expect(unfurler.links.count == 9)
  }

  @Test("a shutdown answers explanations once")
  func shutdown() throws {
    let service = makeService()
    let link = try Previews.link("a")
    let problems = Mutex<[String?]>([])
    service.explain(link) { answer in problems.withLock { $0.append(answer.report.problem) } }
    service.cache.settle()
    service.shutdown()
    #expect(unfurler.cancelled == [link])
    unfurler.answer(link, .found(new))
    #expect(problems.withLock { $0 } == ["cancelled"])
    service.explain(link) { answer in problems.withLock { $0.append(answer.report.problem) } }
    #expect(problems.withLock { $0 } == ["cancelled", "cancelled"])
  }

  @Test("the list is that of the cache")
  func listing() async throws {
    let service = makeService()
    let entry = service.cache.insert(report: .found(old), for: try Previews.link("a"))
    let page = await withCheckedContinuation { continuation in
      service.entries(.all, after: nil, limit: 10) { continuation.resume(returning: $0) }
    }
    #expect(page?.entries.first == entry && page?.next == nil)
  }
}
