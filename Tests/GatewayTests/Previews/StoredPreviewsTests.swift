import Dispatch
import LinkPreview
import Logging
import ParleyProtocol
import Reactor
import Store
import Synchronization
import TestPeers
import TestSupport
import Testing
import Unfurler

@testable import Gateway

@Suite("Previews shared by servers in PostgreSQL", .serialized, .onOwnThreads)
struct StoredPreviewsTests {
  /// A page server that counts the requests for pages; a page takes a while.
  private final class Pages: Unfurler {
    private let count = Mutex(0)
    private let answers: Bool

    init(answering answers: Bool = true) { self.answers = answers }

    var requestCount: Int { count.withLock { $0 } }

    func unfurl(
      _ link: Link, for requester: PreviewRequester, deadline: Duration,
      completion: @escaping @Sendable (UnfurlReport) -> Void
    ) -> UnfurlTask {
      count.withLock { $0 += 1 }
      if answers {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
          completion(
            UnfurlReport(.success(OpenGraphTag(title: link.url)), freshness: .unspecified))
        }
      }
      return UnfurlTask {}
    }

    func shutdown() {}
  }

  /// Servers with a store each, and notices that all of them get.
  private final class Deployment: Sendable {
    let stores: [Store]
    let services = Mutex<[PreviewService]>([])
    let losesNotices: Bool

    init(
      _ url: String, pages: [Pages], timeout: Duration = .seconds(5), losesNotices: Bool = false
    )
      throws
    {
      self.losesNotices = losesNotices
      var options = StoreOptions()
      options.sharing = .shared
      stores = try pages.map { _ in try Store(.postgreSQL(url: url), options: options) }
      for (index, pages) in pages.enumerated() {
        let shared = StoredPreviews(
          store: stores[index], serverID: UInt64.max - UInt64(index), byteLimit: 1 << 30
        ) { [unowned self] notice in
          guard !losesNotices else { return }
          let others = services.withLock { Array($0.enumerated()) }.filter { $0.offset != index }
          for (_, service) in others { service.receive(notice) }
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = PreviewService(
          unfurler: pages,
          cache: PreviewCache(directory: nil, logger: logger) { SystemClock.unixMilliseconds },
          timeout: timeout, logger: logger, shared: shared)
        services.withLock { $0.append(service) }
      }
    }

    subscript(index: Int) -> PreviewService { services.withLock { $0[index] } }

    func close() {
      for service in services.withLock({ $0 }) { service.close() }
      for store in stores { store.close() }
    }
  }

  private static func preview(_ link: Link, of service: PreviewService) async -> OpenGraphTag? {
    await withCheckedContinuation { continuation in
      service.request(link, for: .operation) { continuation.resume(returning: $0) }
    }
  }

  private static func withServer(_ body: (String) async throws -> Void) async throws {
    let server = try PostgreSQLServer()
    defer { try? server.remove() }
    try await body(server.url)
  }

  @Test(
    "a new link posted at once in ten channels on three servers causes one request",
    arguments: [
      false, true,
    ])
  func oneRequest(losesNotices: Bool) async throws {
    try await Self.withServer { url in
      let pages = Pages()
      let deployment = try Deployment(
        url, pages: [pages, pages, pages], timeout: .seconds(losesNotices ? 6 : 30).patient,
        losesNotices: losesNotices)
      defer { deployment.close() }
      let link = try #require(Link("https://example.com/page"))
      let tags = await withTaskGroup(of: OpenGraphTag?.self) { group in
        for _ in 0..<10 {
          for index in 0..<3 {
            group.addTask { await Self.preview(link, of: deployment[index]) }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(tags.count == 30)
      #expect(tags.allSatisfy { $0?.title == link.url })
      #expect(pages.requestCount == 1)
      for index in 0..<3 {
        #expect(deployment[index].lookUp(link, for: .operation) == .found(tags[0]!))
      }
    }
  }

  @Test("when the fetching server dies, another fetches after the claim expires")
  func death() async throws {
    try await Self.withServer { url in
      let (dying, living) = (Pages(answering: false), Pages())
      // The claim of the living server must not end before its own fetch on a slow machine.
      let deployment = try Deployment(
        url, pages: [dying, living, living], timeout: .seconds(5).patient)
      defer { deployment.close() }
      let link = try #require(Link("https://example.com/page"))
      deployment[0].request(link, for: .operation) { _ in }
      try await Deadline.standard.wait(for: "the claim") { dying.requestCount == 1 }
      let start = ContinuousClock.now
      async let second = Self.preview(link, of: deployment[1])
      async let third = Self.preview(link, of: deployment[2])
      #expect(await [second, third].map { $0?.title } == [link.url, link.url])
      #expect(start.duration(to: .now) > .seconds(1))
      #expect(living.requestCount == 1)
    }
  }

  @Test("a purge reaches servers that missed its notification")
  func purge() async throws {
    try await Self.withServer { url in
      let pages = Pages()
      let deployment = try Deployment(
        url, pages: [pages, pages], timeout: .seconds(3).patient, losesNotices: true)
      defer { deployment.close() }
      let links = try ["https://www.example.com/a", "https://example.org/b"].map {
        try #require(Link($0))
      }
      for link in links {
        for index in 0..<2 { _ = await Self.preview(link, of: deployment[index]) }
      }
      #expect(pages.requestCount == 2)
      let page = await withCheckedContinuation { continuation in
        deployment[1].entries(.all, after: nil, limit: 1) { continuation.resume(returning: $0) }
      }
      #expect(page?.entries.map(\.link) == [links[1]])
      #expect(page?.next == links[1].url)
      let count: Int? = await withCheckedContinuation { continuation in
        deployment[0].purge(.domain("example.com")) { continuation.resume(returning: $0) }
      }
      #expect(count == 1)
      #expect(deployment[0].lookUp(links[0], for: .operation) == .unknown(links[0]))
      let announced = try deployment.stores[1].performNow(AnnouncementRead.newest)
      for entry in announced.entries {
        guard case .previewPurge(let notice)? = entry.announcement else { continue }
        deployment[1].receive(try #require(PreviewNotice(encoded: Array(notice.utf8))))
      }
      try await Deadline.standard.wait(for: "the purge") {
        deployment[1].lookUp(links[0], for: .operation) == .unknown(links[0])
      }
      #expect(deployment[1].lookUp(links[1], for: .operation) != .unknown(links[1]))
      #expect(await Self.preview(links[0], of: deployment[1])?.title == links[0].url)
      #expect(pages.requestCount == 3)
    }
  }

  @Test("a link without a preview is fetched again only after a pause")
  func unpublished() async throws {
    try await Self.withServer { url in
      let pages = Pages()
      let deployment = try Deployment(url, pages: [pages])
      let link = try #require(Link("https://example.com/page"))
      let shared = StoredPreviews(store: deployment.stores[0], serverID: 7, byteLimit: 1 << 30) {
        _ in
      }
      let time = Duration.seconds(60).patient
      func claim(by shared: StoredPreviews) async -> SharedClaim {
        await withCheckedContinuation { continuation in
          shared.claim(link, for: time, since: nil) { continuation.resume(returning: $0) }
        }
      }
      #expect(await claim(by: shared) == .granted(nil))
      let other = StoredPreviews(store: deployment.stores[0], serverID: 8, byteLimit: 1 << 30) {
        _ in
      }
      guard case .taken(nil, let wait) = await claim(by: other) else {
        Issue.record("it is not taken")
        return
      }
      #expect((time * 5 / 6...time).contains(.milliseconds(wait.limit)))
      // Only the owner can end a claim.
      other.abandon(link, pause: .zero)
      if case .granted = await claim(by: other) { Issue.record("it was free") }
      shared.abandon(link, pause: .zero)
      #expect(await claim(by: other) == .granted(nil))
      deployment.close()
    }
  }
}
