import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview lifetimes", .onOwnThreads)
struct LifetimesTests {
  private func lifetimes(
    most: Int64 = 1_000, least: Int64 = 10, negative: Int64 = 5, stale: Int64 = 100
  ) -> Lifetimes {
    var limits = PreviewCache.Limits()
    limits.timeToLive = .seconds(most)
    limits.minimumTimeToLive = .seconds(least)
    limits.negativeTimeToLive = .seconds(negative)
    limits.staleTimeToLive = .seconds(stale)
    return Lifetimes(limits)
  }

  @Test(
    "a page's own lifetime is clamped between the minimum and the maximum",
    arguments: [
      (.unspecified, 1_000), (.seconds(0), 10), (.seconds(-5), 10), (.seconds(.min), 10),
      (.seconds(60), 60), (.seconds(5_000), 1_000), (.seconds(.max), 1_000),
    ] as [(Freshness, Int64)])
  func clamping(freshness: Freshness, seconds: Int64) throws {
    let link = try Previews.link("")
    let entry = lifetimes().entry(for: link, .found(Previews.full, freshness), at: 7)
    #expect(
      entry
        == PreviewEntry(
          link: link, tag: Previews.full, problem: nil, fetchedAt: 7,
          expiresAt: 7 + seconds * 1_000, staleUntil: 7 + (seconds + 100) * 1_000))
  }

  @Test("pictures cached under the other setting are hidden, or load from the page again")
  func pictures() {
    var direct = PreviewCache.Limits()
    var proxied = direct
    proxied.hidesOrigins = true
    direct.hidesOrigins = false
    let own = OpenGraphImage(url: "https://a.example/i.png", width: 9, height: 9, alt: "A")
    let copy = OpenGraphImage(
      url: "https://chat.example/previews/1", secureURL: "https://chat.example/previews/1",
      type: "image/png", width: 9, height: 9, alt: "A", originURL: "https://a.example/i.png")
    func shown(_ image: OpenGraphImage?, _ limits: PreviewCache.Limits) -> OpenGraphTag? {
      Lifetimes(limits).shown(OpenGraphTag(title: "T", image: image))
    }
    #expect(shown(own, direct)?.image == own && shown(copy, proxied)?.image == copy)
    #expect(shown(own, proxied) == OpenGraphTag(title: "T"))
    #expect(shown(copy, direct)?.image == OpenGraphImage(url: "https://a.example/i.png", alt: "A"))
    for limits in [direct, proxied] {
      #expect(Lifetimes(limits).shown(nil) == nil)
      #expect(shown(nil, limits) == OpenGraphTag(title: "T"))
    }
  }

  @Test("a missing preview is cached for its own time, and never shown stale")
  func negative() throws {
    let link = try Previews.link("")
    for report in [
      UnfurlReport.empty, .failed("x"), UnfurlReport(.success(nil), freshness: .seconds(900)),
    ] {
      let entry = try #require(lifetimes().entry(for: link, report, at: 0))
      #expect(entry.tag == nil && entry.problem == report.problem)
      #expect(entry.expiresAt == 5_000 && entry.staleUntil == 5_000)
    }
  }

  @Test(
    "an incomplete preview is kept no longer than a failure",
    arguments: [(.unspecified, 5), (.seconds(900), 5), (.seconds(3), 3)] as [(Freshness, Int64)])
  func incomplete(freshness: Freshness, seconds: Int64) throws {
    var report = UnfurlReport.found(Previews.full, freshness)
    report.isIncomplete = true
    let entry = lifetimes(least: 0).entry(for: try Previews.link(""), report, at: 0)
    #expect(entry?.tag == Previews.full && entry?.expiresAt == seconds * 1_000)
  }

  @Test("an entry that must not be cached is not cached")
  func unkept() throws {
    let link = try Previews.link("")
    #expect(lifetimes().entry(for: link, .found(Previews.full, .unkept), at: 0) == nil)
    #expect(lifetimes().entry(for: link, .cancelled, at: 0) == nil)
  }

  @Test("a lifetime of 0 caches nothing, not even stale", arguments: [0, 900] as [Int64])
  func none(seconds: Int64) throws {
    let link = try Previews.link("")
    let none = lifetimes(most: 0)
    let entry = none.entry(for: link, .found(Previews.full, .seconds(seconds)), at: 3)
    #expect(entry?.age(at: 3) == .gone)
    let asked = lifetimes(least: 0).entry(for: link, .found(Previews.full, .seconds(0)), at: 3)
    #expect(asked?.age(at: 3) == .gone)
  }

  @Test("the reason is truncated at 512 bytes, between characters")
  func problem() throws {
    let link = try Previews.link("")
    let reason = "x" + String(repeating: "é", count: 400)
    let entry = try #require(lifetimes().entry(for: link, .failed(reason), at: 0))
    let problem = try #require(entry.problem)
    #expect(problem.utf8.count <= 512 && problem.utf8.count > 508)
    #expect("\(reason)".hasPrefix(problem))
  }

  @Test("a restored entry with longer lifetimes or a future date is limited to the current ones")
  func restored() throws {
    let link = try Previews.link("")
    func entry(_ tag: OpenGraphTag?, _ expiresAt: Int64, _ staleUntil: Int64) -> PreviewEntry {
      PreviewEntry(
        link: link, tag: tag, problem: nil, fetchedAt: 0, expiresAt: expiresAt,
        staleUntil: staleUntil)
    }
    let today = lifetimes()
    let tag = Previews.full
    #expect(today.restored(entry(tag, 500, 700), at: 400) == entry(tag, 500, 700))
    #expect(
      today.restored(entry(tag, .max, .max), at: 400) == entry(tag, 1_000_400, 1_100_400))
    #expect(today.restored(entry(nil, .max, .max), at: 400) == entry(nil, 5_400, 5_400))
    #expect(today.restored(entry(tag, 900, 1), at: 400) == entry(tag, 900, 900))
  }
}
