import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview cache, as operators see it", .onOwnThreads)
struct PreviewCacheOperatorTests {
  private let clock = ManualClock()
  private let urls = [
    "http://192.0.2.1/", "https://a.example.com/1", "https://a.example.com/2",
    "https://example.com.evil.net/", "https://example.com/", "https://notexample.com/",
    "https://x.net/",
  ]

  /// A cache of all the links, some of them in the file only when there is one.
  private func fill(_ directory: String?) throws -> PreviewCache {
    var limits = PreviewCache.Limits()
    if directory != nil { limits.maximumEntries = 3 }
    let cache = PreviewCache(directory, clock, limits)
    for url in urls {
      cache.insert(
        report: url.contains("evil") ? .failed("x") : .found(Previews.full),
        for: try #require(Link(url)))
    }
    return cache
  }

  private func withBoth(_ body: (PreviewCache) async throws -> Void) async throws {
    try await body(try fill(nil))
    try await Previews.withDirectory { directory in
      let cache = try fill(directory)
      try await body(cache)
      cache.close()
    }
  }

  @Test("pages are in the order of the links")
  func pages() async throws {
    try await withBoth { cache in
      for limit in 1...8 {
        var listed: [String] = []
        var cursor: String?
        repeat {
          let page = await cache.page(after: cursor, limit: limit)
          #expect(page.entries.count <= limit)
          listed += page.entries.map(\.link.url)
          cursor = page.next
        } while cursor != nil && listed.count < 50
        #expect(listed == urls)
      }
      #expect(await cache.page(limit: -1).entries.count == 1)
      #expect(await cache.page(after: "https://zzz/").entries.isEmpty)
    }
  }

  @Test("entries contain the cached preview and its time")
  func entry() async throws {
    try await withBoth { cache in
      let link = try #require(Link("https://example.com.evil.net/"))
      let page = await cache.page(.link(link))
      #expect(
        page.entries == [
          PreviewEntry(
            link: link, tag: nil, problem: "x", problemKind: .failed, fetchedAt: 0,
            expiresAt: 300_000, staleUntil: 300_000)
        ])
      clock.advance(by: 300_000)
      #expect(await cache.page(.link(link)).entries.isEmpty)
      clock.advance(by: -300_000)
    }
  }

  @Test("a domain is listed and purged with its subdomains, and nothing else")
  func domain() async throws {
    try await withBoth { cache in
      let below = await cache.page(.domain("example.com")).entries.map(\.link.url)
      #expect(below == [urls[1], urls[2], urls[4]])
      #expect(await cache.purged(.domain("Example.com")) == 3)
      #expect(await cache.page().entries.map(\.link.url) == [urls[0], urls[3], urls[5], urls[6]])
      let (purged, left) = (try #require(Link(urls[4])), try #require(Link(urls[0])))
      #expect(await cache.loaded(purged) == nil)
      #expect(await cache.purged(.domain("example.com")) == 0)
      #expect(await cache.purged(.domain("no/host")) == 0)
      #expect(await cache.purged(.link(left)) == 1)
      #expect(await cache.purged(.all) == 3)
      #expect(await cache.page() == PreviewPage(entries: [], next: nil))
      #expect(cache.figures.entryCount == 0 && cache.figures.rowCount == 0)
    }
  }

  @Test("purged entries are not there after a restart")
  func restart() async throws {
    try await Previews.withDirectory { directory in
      let cache = try fill(directory)
      #expect(await cache.purged(.domain("com")) == 4)
      cache.close()
      let second = PreviewCache(directory, clock)
      #expect(await second.page().entries.map(\.link.url) == [urls[0], urls[3], urls[6]])
      second.close()
    }
  }

  @Test("a purge of many links covers all of them")
  func many() async throws {
    try await Previews.withDirectory { directory in
      var limits = PreviewCache.Limits()
      limits.maximumEntries = 300
      let cache = PreviewCache(directory, clock, limits)
      for number in 0..<1_000 {
        let host = number.isMultiple(of: 4) ? "x.net" : "h\(number).example.com"
        cache.insert(report: .empty, for: try Previews.link("\(number)", host: host))
      }
      #expect(await cache.page(limit: 9_999).entries.count == PreviewPage.maximumCount)
      #expect(await cache.purged(.domain("example.com")) == 750)
      #expect(cache.figures.rowCount == 250)
      cache.close()
    }
  }
}
