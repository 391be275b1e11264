import Foundation
import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import Testing

@testable import Unfurler

@Suite("Preview cache")
struct PreviewCacheTests {
  private static let full = OpenGraphTag(
    title: "T", url: "https://a/", description: "D",
    image: OpenGraphImage(
      url: "https://a/i", secureURL: "https://a/s", type: "image/png", width: 3, height: 4,
      alt: "A"))

  private func link(_ path: String) throws -> Link {
    try #require(Link("https://example.com/\(path)"))
  }

  private func cache(
    _ directory: String?, _ clock: ManualClock, limits: PreviewCache.Limits = .init()
  ) -> PreviewCache {
    PreviewCache(
      directory: directory, limits: limits, logger: Logger(label: "test"), now: clock.read)
  }

  @Test("entries are good for their time, and no longer")
  func expiry() throws {
    let clock = ManualClock()
    let cache = cache(nil, clock)
    cache.insert(Self.full, for: try link("a"))
    cache.insert(nil, for: try link("b"))
    #expect(cache.find(try link("a"))?.tag == Self.full)
    #expect(cache.find(try link("b")) != nil)
    #expect(cache.find(try link("c")) == nil)
    clock.advance(by: 300_000)
    #expect(cache.find(try link("b")) == nil)
    clock.advance(by: 86_100_000 - 1)
    #expect(cache.find(try link("a")) != nil)
    clock.advance(by: 1)
    #expect(cache.find(try link("a")) == nil)
  }

  @Test("entries survive a restart until they expire")
  func persistence() throws {
    try withDirectory { directory in
      let clock = ManualClock()
      let first = cache(directory, clock)
      first.insert(Self.full, for: try link("a"))
      first.insert(OpenGraphTag(title: "only"), for: try link("b"))
      first.insert(nil, for: try link("c"))
      first.close()
      clock.advance(by: 1_000)
      let second = cache(directory, clock)
      #expect(second.find(try link("a"))?.tag == Self.full)
      #expect(second.find(try link("b"))?.tag == OpenGraphTag(title: "only"))
      #expect(second.find(try link("c")) == CachedPreview(tag: nil, expiresAt: 300_000))
      second.close()
      clock.advance(by: 300_000)
      let third = cache(directory, clock)
      #expect(third.find(try link("a")) != nil)
      #expect(third.find(try link("c")) == nil)
      third.close()
    }
  }

  @Test("what memory forgot is found in the file")
  func load() async throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var limits = PreviewCache.Limits()
    limits.maximumEntries = 1
    let cache = cache(directory, ManualClock(), limits: limits)
    let forgotten = try link("a")
    cache.insert(Self.full, for: forgotten)
    cache.insert(nil, for: try link("b"))
    #expect(cache.find(forgotten) == nil)
    let loaded = await withCheckedContinuation { continuation in
      cache.load(forgotten) { continuation.resume(returning: $0) }
    }
    #expect(loaded?.tag == Self.full)
    #expect(cache.find(forgotten)?.tag == Self.full)
    cache.close()
  }

  @Test("the file keeps no more rows than it may")
  func rows() throws {
    try withDirectory { directory in
      let clock = ManualClock()
      var limits = PreviewCache.Limits()
      limits.maximumRows = 10
      let first = cache(directory, clock, limits: limits)
      for number in 0..<50 {
        clock.advance(by: 1)
        first.insert(Self.full, for: try link("\(number)"))
      }
      first.close()
      let second = cache(directory, clock, limits: limits)
      #expect(second.find(try link("39")) == nil)
      #expect(second.find(try link("40")) != nil)
      second.close()
    }
  }

  @Test("a damaged file, or a directory that cannot be written, leaves memory")
  func damage() throws {
    try withDirectory { directory in
      let path = directory + "/" + PreviewCache.fileName
      try Data(repeating: 0x78, count: 10_000).write(to: URL(filePath: path))
      for place in [directory, directory + "/missing/deeper"] {
        let cache = cache(place, ManualClock())
        cache.insert(Self.full, for: try link("a"))
        #expect(cache.find(try link("a"))?.tag == Self.full)
        cache.close()
      }
    }
  }

  @Test("memory holds the entries used last, within both bounds")
  func recent() throws {
    var recent = RecentPreviews(maximumCount: 3, maximumBytes: 10_000)
    let entry = CachedPreview(tag: nil, expiresAt: 10)
    for name in ["a", "b", "c"] { recent.insert(entry, for: try link(name)) }
    #expect(recent.find(try link("a"), at: 0) != nil)
    recent.insert(entry, for: try link("d"))
    #expect(recent.find(try link("b"), at: 0) == nil)
    #expect(recent.find(try link("a"), at: 0) != nil)
    #expect(recent.count == 3)
    let large = CachedPreview(
      tag: OpenGraphTag(title: String(repeating: "x", count: 9_600)), expiresAt: 10)
    recent.insert(large, for: try link("e"))
    #expect(recent.count == 1 && recent.byteCount <= 10_000)
    let huge = CachedPreview(
      tag: OpenGraphTag(title: String(repeating: "x", count: 20_000)), expiresAt: 10)
    recent.insert(huge, for: try link("f"))
    #expect(recent.find(try link("f"), at: 0) == nil)
    #expect(recent.find(try link("e"), at: 10) == nil)
    #expect(recent.count == 0 && recent.byteCount == 0)
  }

  @Test("the list of recent entries agrees with a plain one")
  func model() throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    var state = seed
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    var recent = RecentPreviews(maximumCount: 5, maximumBytes: .max)
    var model: [(Link, CachedPreview)] = []
    for step in 0..<3_000 {
      let link = try link("\(random(9))")
      if random(2) == 0 {
        let preview = CachedPreview(tag: nil, expiresAt: Int64(step + random(50)))
        model.removeAll { $0.0 == link }
        model.append((link, preview))
        if model.count > 5 { model.removeFirst() }
        recent.insert(preview, for: link)
      } else {
        let expected = model.first { $0.0 == link }?.1
        model.removeAll { $0.0 == link }
        let fresh = expected.flatMap { $0.expiresAt > Int64(step) ? $0 : nil }
        if let fresh { model.append((link, fresh)) }
        #expect(recent.find(link, at: Int64(step)) == fresh, "seed \(seed), step \(step)")
      }
    }
  }

  private func makeDirectory() throws -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory.path
  }

  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }
}

/// A clock that stands still until it is told to move.
final class ManualClock: Sendable {
  private let time = Mutex<Int64>(0)

  var read: @Sendable () -> Int64 { { self.time.withLock { $0 } } }
  func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}
