import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Unfurler

@Suite("Previews of several servers", .onOwnThreads)
struct SharedPreviewsTests {
  /// Three servers on one database; each has an unfurler of its own.
  private struct Deployment {
    let clock = ManualClock()
    let model: SharedPreviewsModel
    let timer: ManualTimer
    let unfurlers = (0..<3).map { _ in ScriptedUnfurler() }
    let services: [PreviewService]

    init() {
      let (clock, unfurlers) = (clock, unfurlers)
      clock.advance(by: 1_000_000)
      let (model, timer) = (SharedPreviewsModel(clock), ManualTimer(clock))
      services = unfurlers.enumerated().map { index, unfurler in
        PreviewService(
          unfurler: unfurler, cache: PreviewCache(nil, clock), logger: Logger(label: "test"),
          shared: model.member(index), timer: timer.schedule)
      }
      for (index, service) in services.enumerated() { model.join(service, as: index) }
      self.model = model
      self.timer = timer
    }

    var fetched: [Link] { unfurlers.flatMap(\.links) }
  }

  private let tag = OpenGraphTag(title: "T")

  @Test("a link is fetched once, whichever servers request it, and then known to all at once")
  func oneFetch() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    let answers = Answers()
    for service in deployment.services {
      for _ in 0..<10 { service.request(link, completion: answers.add) }
    }
    #expect(deployment.fetched == [link])
    #expect(answers.all.isEmpty)
    deployment.unfurlers[0].answer(link, .found(tag))
    #expect(answers.all == Array(repeating: tag, count: 30))
    for service in deployment.services { #expect(service.lookUp(link) == .found(tag)) }
    #expect(deployment.services.map(\.counters.inFlight) == [0, 0, 0])
  }

  @Test(
    "a missing preview is shared too, and fetched again by one server when it expires"
  )
  func negative() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    let answers = Answers()
    for service in deployment.services { service.request(link, completion: answers.add) }
    deployment.unfurlers[0].answer(link, .empty)
    #expect(answers.all == [nil, nil, nil])
    for service in deployment.services { #expect(service.lookUp(link) == .none) }
    deployment.timer.advance(by: 300_000)
    for service in deployment.services.reversed() {
      #expect(service.lookUp(link) == .unknown(link))
      service.request(link, completion: answers.add)
    }
    #expect(deployment.unfurlers.map(\.links.count) == [1, 0, 1])
  }

  @Test("waiting requests get an uncacheable preview from the one fetch")
  func unkeepable() throws {
    let deployment = Deployment()
    deployment.model.loseNotices()
    let link = try Previews.link("a")
    let answers = Answers()
    var limits = PreviewCache.Limits()
    limits.timeToLive = .zero
    let fetching = PreviewService(
      unfurler: deployment.unfurlers[2], cache: PreviewCache(nil, deployment.clock, limits),
      logger: Logger(label: "test"), shared: deployment.model.member(2))
    fetching.request(link, completion: answers.add)
    deployment.services[0].request(link, completion: answers.add)
    deployment.unfurlers[2].answer(link, .found(tag))
    #expect(answers.all == [tag])
    // The notice was lost: the wait ends with the claim.
    deployment.timer.advance(by: 7_010)
    #expect(answers.all == [tag, tag])
    #expect(deployment.fetched == [link])
  }

  @Test("when a server dies during a fetch, one waiting server fetches after its claim expires")
  func death() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    let answers = Answers()
    for service in deployment.services { service.request(link, completion: answers.add) }
    deployment.timer.advance(by: 6_999)
    #expect(deployment.fetched.count == 1)
    deployment.timer.advance(by: 11)
    #expect(deployment.unfurlers.map(\.links.count) == [1, 1, 0])
    deployment.unfurlers[1].answer(link, .found(tag))
    #expect(answers.all == [tag, tag])
    // The first was not dead: what it brings late changes nothing for the others.
    let late = OpenGraphTag(title: "Late")
    deployment.unfurlers[0].answer(link, .found(late))
    #expect(answers.all == [tag, tag, late])
    #expect(deployment.services[2].lookUp(link) == .found(tag))
  }

  @Test("a cancelled fetch lets another server fetch at once")
  func abandoned() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    let answers = Answers()
    for service in deployment.services { service.request(link, completion: answers.add) }
    deployment.unfurlers[0].answer(link, with: .failure(.cancelled))
    #expect(deployment.fetched.count == 2)
    let next = try #require(deployment.unfurlers.dropFirst().first { !$0.links.isEmpty })
    next.answer(link, .found(tag))
    #expect(answers.all == [nil, tag, tag])
  }

  @Test("a wait ends without a preview after four claims without a result")
  func longWait() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    let answers = Answers()
    deployment.model.member(9).claim(link, for: .seconds(7), since: nil) { _ in }
    deployment.services[0].request(link, completion: answers.add)
    for round in 0..<4 {
      #expect(answers.all.isEmpty)
      deployment.timer.advance(by: round == 0 ? 7_000 : 6_990)
      // Another server is a little faster each time.
      deployment.model.member(10 + round).claim(link, for: .seconds(7), since: nil) { _ in }
      deployment.timer.advance(by: 10)
    }
    #expect(answers.all == [nil])
    #expect(deployment.services[0].counters.refused == 1)
    #expect(deployment.fetched.isEmpty)
  }

  @Test("an expired preview is shown by all and refreshed by one")
  func stale() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    deployment.services[0].request(link) { _ in }
    deployment.unfurlers[0].answer(link, .found(tag))
    deployment.timer.advance(by: 86_400_000)
    for service in deployment.services { #expect(service.lookUp(link) == .found(tag)) }
    #expect(deployment.fetched.count == 2)
    // A server that has just started knows it from the database, and shows it as well.
    let fresh = ScriptedUnfurler()
    let started = PreviewService(
      unfurler: fresh, cache: PreviewCache(nil, deployment.clock), logger: Logger(label: "test"),
      shared: deployment.model.member(7), timer: deployment.timer.schedule)
    let answers = Answers()
    started.request(link, completion: answers.add)
    #expect(answers.all == [tag])
    // The refresh fails: nobody tries again for a while.
    deployment.unfurlers[0].answer(link, .failed("x"))
    deployment.timer.advance(by: 299_000)
    for service in deployment.services + [started] { #expect(service.lookUp(link) == .found(tag)) }
    #expect(deployment.fetched.count == 2)
    #expect(fresh.links.isEmpty)
    deployment.timer.advance(by: 1_000)
    for service in deployment.services { #expect(service.lookUp(link) == .found(tag)) }
    #expect(deployment.fetched.count == 3)
  }

  @Test("a starting server finds an expired preview in the database, and refreshes it")
  func restart() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    deployment.services[0].request(link) { _ in }
    deployment.unfurlers[0].answer(link, .found(tag))
    deployment.timer.advance(by: 86_400_000)
    let unfurler = ScriptedUnfurler()
    let started = PreviewService(
      unfurler: unfurler, cache: PreviewCache(nil, deployment.clock), logger: Logger(label: "test"),
      shared: deployment.model.member(7), timer: deployment.timer.schedule)
    let answers = Answers()
    started.request(link, completion: answers.add)
    #expect(answers.all == [tag])
    unfurler.answer(link, .found(Previews.full))
    #expect(started.lookUp(link) == .found(Previews.full))
    #expect(deployment.services[1].lookUp(link) == .found(Previews.full))
  }

  @Test("a purge reaches all servers, and results on their way")
  func purge() async throws {
    let deployment = Deployment()
    let (known, onItsWay) = (try Previews.link("a"), try Previews.link("b"))
    let answers = Answers()
    deployment.services[0].request(known) { _ in }
    deployment.unfurlers[0].answer(known, .found(tag))
    deployment.services[1].request(onItsWay, completion: answers.add)
    let count = await withCheckedContinuation { continuation in
      deployment.services[2].purge(.domain("example.com")) { continuation.resume(returning: $0) }
    }
    #expect(count == 1)
    deployment.unfurlers[1].answer(onItsWay, .found(tag))
    #expect(answers.all == [tag])
    for service in deployment.services {
      service.cache.settle()
      for link in [known, onItsWay] { #expect(service.lookUp(link) == .unknown(link)) }
    }
  }

  @Test("without the database each server fetches for itself, and a purge reports its failure")
  func unavailable() async throws {
    let deployment = Deployment()
    deployment.model.setReachable(false)
    let link = try Previews.link("a")
    let answers = Answers()
    for service in deployment.services { service.request(link, completion: answers.add) }
    #expect(deployment.fetched.count == 3)
    for unfurler in deployment.unfurlers { unfurler.answer(link, .found(tag)) }
    #expect(answers.all == [tag, tag, tag])
    let count: Int? = await withCheckedContinuation { continuation in
      deployment.services[0].purge(.all) { continuation.resume(returning: $0) }
    }
    #expect(count == nil)
  }

  @Test("an operator's explanation of a link is shared")
  func explanation() throws {
    let deployment = Deployment()
    let link = try Previews.link("a")
    deployment.services[0].explain(link) { _ in }
    deployment.services[0].cache.settle()
    deployment.unfurlers[0].answer(link, .found(tag))
    for service in deployment.services { #expect(service.lookUp(link) == .found(tag)) }
  }

  @Test("notices are unchanged by encoding; invalid ones are refused")
  func notices() throws {
    let link = try Previews.link("a")
    let entries = [Previews.full, nil].map { tag in
      PreviewEntry(
        link: link, tag: tag, problem: tag == nil ? "gone" : nil, fetchedAt: 1, expiresAt: 2,
        staleUntil: 3)
    }
    let notices: [PreviewNotice] =
      entries.map { .published($0) } + [
        .abandoned(link), .purged(.all), .purged(.link(link)), .purged(.domain("example.com")),
      ]
    for notice in notices { #expect(PreviewNotice(encoded: notice.encoded) == notice) }
    for entry in entries { #expect(PreviewEntry(encoded: entry.encoded) == entry) }
    for text in ["", "{}", "[]", "{\"published\":{}}", "{\"abandoned\":\"x\"}", "{\"purged\":1}"] {
      #expect(PreviewNotice(encoded: Array(text.utf8)) == nil)
    }
  }
}

/// The answers to requests, in their order.
private final class Answers: Sendable {
  private let tags = Mutex<[OpenGraphTag?]>([])

  var all: [OpenGraphTag?] { tags.withLock { $0 } }
  var add: @Sendable (OpenGraphTag?) -> Void { { tag in self.tags.withLock { $0.append(tag) } } }
}
