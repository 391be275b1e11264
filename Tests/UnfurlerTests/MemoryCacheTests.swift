import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Recent previews")
struct MemoryCacheTests {
  private func entry(
    _ path: String, tag: OpenGraphTag? = nil, expiresAt: Int64 = 10, staleUntil: Int64? = nil
  ) throws -> PreviewEntry {
    PreviewEntry(
      link: try Previews.link(path), tag: tag, problem: nil, fetchedAt: 0, expiresAt: expiresAt,
      staleUntil: staleUntil ?? expiresAt)
  }

  private func find(
    _ path: String, in recent: inout MemoryCache, at now: Int64 = 0
  ) throws -> CacheHit? {
    recent.find(try Previews.link(path), at: now, retryInterval: 5)
  }

  @Test("memory keeps the entries used last, within both limits")
  func bounds() throws {
    var recent = MemoryCache(maximumCount: 3, maximumBytes: 10_000)
    for name in ["a", "b", "c"] { recent.insert(try entry(name)) }
    #expect(try find("a", in: &recent) != nil)
    recent.insert(try entry("d"))
    #expect(try find("b", in: &recent) == nil)
    #expect(try find("a", in: &recent) != nil)
    #expect(recent.count == 3)
    recent.insert(try entry("e", tag: Previews.large(9_500)))
    #expect(recent.count == 1 && recent.byteCount <= 10_000)
    recent.insert(try entry("f", tag: Previews.large(20_000)))
    #expect(try find("f", in: &recent) == nil)
    #expect(try find("e", in: &recent, at: 10) == nil)
    #expect(recent.count == 0 && recent.byteCount == 0)
  }

  @Test("a stale entry is found until it is removed, and one finder is asked to refresh it")
  func stale() throws {
    var recent = MemoryCache(maximumCount: 3, maximumBytes: 10_000)
    let stale = try entry("a", tag: Previews.full, expiresAt: 10, staleUntil: 100)
    recent.insert(stale)
    #expect(try find("a", in: &recent, at: 9) == .fresh(stale))
    #expect(try find("a", in: &recent, at: 10) == .stale(stale, .due))
    #expect(try find("a", in: &recent, at: 14) == .stale(stale, .underWay))
    recent.postponeRefresh(of: stale.link, until: 40)
    #expect(try find("a", in: &recent, at: 39) == .stale(stale, .underWay))
    #expect(try find("a", in: &recent, at: 40) == .stale(stale, .due))
    #expect(try find("a", in: &recent, at: 100) == nil)
    #expect(recent.count == 0)
  }

  @Test("stale entries are evicted like others")
  func staleEviction() throws {
    var recent = MemoryCache(maximumCount: 1, maximumBytes: 10_000)
    recent.insert(try entry("a", tag: Previews.full, expiresAt: 1, staleUntil: 100))
    recent.insert(try entry("b"))
    #expect(try find("a", in: &recent, at: 2) == nil)
  }

  @Test("it matches a plain list")
  func model() throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var recent = MemoryCache(maximumCount: 5, maximumBytes: .max)
    var model: [PreviewEntry] = []
    for step in 0..<3_000 {
      let path = "\(Int.random(in: 0..<9, using: &random))"
      let link = try Previews.link(path)
      let known = model.firstIndex { $0.link == link }.map { model.remove(at: $0) }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: #expect(recent.remove(link) == (known != nil), "seed \(seed), step \(step)")
      case 1, 2:
        let expiresAt = Int64(step + Int.random(in: 0..<50, using: &random))
        let entry = try entry(path, expiresAt: expiresAt)
        model.append(entry)
        if model.count > 5 { model.removeFirst() }
        recent.insert(entry)
      default:
        let fresh = known.flatMap { $0.expiresAt > Int64(step) ? $0 : nil }
        if let fresh { model.append(fresh) }
        let found = try find(path, in: &recent, at: Int64(step))
        #expect(found?.entry == fresh, "seed \(seed), step \(step)")
      }
      let all = recent.entries(inSlots: 0..<recent.slotCount)
      #expect(Set(all) == Set(model) && recent.count == model.count, "seed \(seed), step \(step)")
    }
  }
}
