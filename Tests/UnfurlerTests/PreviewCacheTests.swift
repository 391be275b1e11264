import Foundation
import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview cache", .onOwnThreads)
struct PreviewCacheTests {
  private let clock = ManualClock()

  private func limits(stale: Int64 = 0) -> PreviewCache.Limits {
    var limits = PreviewCache.Limits()
    limits.staleTimeToLive = .seconds(stale)
    return limits
  }

  @Test("entries are valid for their lifetime, and no longer")
  func expiry() throws {
    let cache = PreviewCache(nil, clock, limits())
    let (found, empty) = (try Previews.link("a"), try Previews.link("b"))
    cache.insert(report: .found(Previews.full), for: found)
    cache.insert(report: .failed("no such host"), for: empty)
    #expect(cache.find(found)?.entry.tag == Previews.full)
    #expect(cache.find(empty)?.entry.problem == "no such host")
    #expect(cache.find(try Previews.link("c")) == nil)
    clock.advance(by: 300_000)
    #expect(cache.find(empty) == nil)
    clock.advance(by: 86_100_000 - 1)
    #expect(cache.find(found) != nil)
    clock.advance(by: 1)
    #expect(cache.find(found) == nil)
  }

  @Test("a failed refresh leaves the stale preview, and is not repeated for a while")
  func failedRefresh() throws {
    let cache = PreviewCache(nil, clock, limits(stale: 1_000))
    let link = try Previews.link("a")
    let entry = try #require(cache.insert(report: .found(Previews.full), for: link))
    clock.advance(by: 86_400_000)
    #expect(cache.find(link) == .stale(entry, .due))
    #expect(cache.find(link) == .stale(entry, .underWay))
    for report in [UnfurlReport.failed("x"), UnfurlReport(.failure(.timedOut)), .cancelled] {
      #expect(cache.insert(report: report, for: link) == entry)
      clock.advance(by: 299_999)
      #expect(cache.find(link) == .stale(entry, .underWay))
      clock.advance(by: 1)
      #expect(cache.find(link) == .stale(entry, .due))
    }
    clock.advance(by: 100_000)
    #expect(cache.find(link) == nil)
    #expect(cache.insert(report: .failed("x"), for: link)?.problem == "x")
  }

  @Test("a page that no longer has a preview has none in the cache")
  func emptied() throws {
    var limits = limits(stale: 1_000)
    for negative in [Duration.seconds(300), .zero] {
      limits.negativeTimeToLive = negative
      let cache = PreviewCache(nil, clock, limits)
      let link = try Previews.link("a")
      cache.insert(report: .found(Previews.full), for: link)
      clock.advance(by: 86_400_000)
      cache.insert(report: .empty, for: link)
      #expect(cache.find(link)?.entry.tag == nil)
      #expect((cache.find(link) == nil) == (negative == .zero))
    }
  }

  @Test("an entry dated in the future is refreshed, or dropped if it has no preview")
  func setBack() async throws {
    let cache = PreviewCache(nil, clock, limits(stale: 1_000))
    let (found, empty) = (try Previews.link("a"), try Previews.link("b"))
    let year: Int64 = 31_536_000_000
    clock.advance(by: year)
    let entry = try #require(cache.insert(report: .found(Previews.full), for: found))
    cache.insert(report: .empty, for: empty)
    clock.advance(by: -60_000)
    #expect(cache.find(found) == .fresh(entry))
    clock.advance(by: -1)
    #expect(cache.find(found) == .stale(entry, .due))
    #expect(cache.find(empty) == nil)
    clock.advance(by: 60_001 - year)
    #expect(cache.find(found) == .stale(entry, .due))
    #expect(cache.find(found) == .stale(entry, .underWay))
  }

  @Test("a purge counts entries dated in the future")
  func setBackPurge() async throws {
    let cache = PreviewCache(nil, clock, limits())
    clock.advance(by: 1_000_000)
    cache.insert(report: .empty, for: try Previews.link("a"))
    clock.advance(by: -1_000_000)
    let count = await withCheckedContinuation { answer in
      cache.purge(.all) { answer.resume(returning: $0) }
    }
    #expect(count == 1)
  }

  @Test("entries survive a restart until they expire, including stale ones")
  func persistence() async throws {
    try await Previews.withDirectory { directory in
      let paths = ["a", "b", "c", "d"]
      let links = try paths.map { try Previews.link($0) }
      let first = PreviewCache(directory, clock, limits(stale: 1_000))
      let only = OpenGraphTag(title: "only")
      first.insert(report: .found(Previews.full), for: links[0])
      first.insert(report: .found(only, .seconds(300)), for: links[1])
      first.insert(report: .failed("x"), for: links[2])
      first.insert(report: .found(OpenGraphTag(image: OpenGraphImage())), for: links[3])
      let known = links.map { first.find($0)?.entry }
      first.close()
      clock.advance(by: 1_000)
      let second = PreviewCache(directory, clock, limits(stale: 1_000))
      #expect(links.map { second.find($0)?.entry } == known)
      second.close()
      clock.advance(by: 300_000)
      let third = PreviewCache(directory, clock, limits(stale: 1_000))
      #expect(third.find(links[0])?.entry.tag == Previews.full)
      let stale = try #require(known[1])
      #expect(third.find(links[1]) == .stale(stale, .due))
      #expect(third.find(links[2]) == nil)
      third.close()
      let fourth = PreviewCache(directory, clock, limits())
      #expect(fourth.find(links[0]) != nil)
      #expect(fourth.find(links[1]) == nil)
      fourth.close()
    }
  }

  @Test(
    "an entry that memory has evicted, or has no room for, is found in the file", arguments: [1, 0])
  func load(memory: Int) async throws {
    try await Previews.withDirectory { directory in
      var limits = limits()
      limits.maximumEntries = 1
      limits.maximumBytes = memory * 10_000
      let cache = PreviewCache(directory, clock, limits)
      let forgotten = try Previews.link("a")
      cache.insert(report: .found(Previews.full), for: forgotten)
      cache.insert(report: .empty, for: try Previews.link("b"))
      #expect(cache.find(forgotten) == nil)
      #expect(await cache.loaded(forgotten)?.entry.tag == Previews.full)
      #expect((cache.find(forgotten) != nil) == (memory == 1))
      #expect(await cache.loaded(try Previews.link("c")) == nil)
      cache.close()
      #expect(await cache.loaded(try Previews.link("b")) == nil)
    }
  }

  @Test("many threads look up, store and purge at the same time")
  func threads() async throws {
    try await Previews.withDirectory { directory in
      var limits = limits(stale: 10)
      limits.maximumEntries = 20
      let cache = PreviewCache(directory, clock, limits)
      await withTaskGroup { group in
        for worker in 0..<8 {
          group.addTask {
            for step in 0..<200 {
              guard let link = try? Previews.link("\((worker &* 7 &+ step) % 50)") else { return }
              switch step % 5 {
              case 0: cache.insert(report: .found(Previews.full), for: link)
              case 1: cache.insert(report: .failed("x"), for: link)
              case 2: _ = await cache.loaded(link)
              case 3 where step % 50 == 3: _ = await cache.purged(.link(link))
              default: _ = cache.find(link)
              }
            }
          }
        }
      }
      #expect(cache.figures.entryCount <= 20)
      let page = await cache.page()
      #expect(page.entries.count <= 50 && page.entries.count >= cache.figures.entryCount)
      #expect(await cache.purged(.all) == page.entries.count)
      #expect(cache.figures.entryCount == 0 && cache.figures.rowCount == 0)
      cache.close()
    }
  }
}
