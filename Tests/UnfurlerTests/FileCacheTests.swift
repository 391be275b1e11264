import Foundation
import SQLite
import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Preview file", .onOwnThreads)
struct FileCacheTests {
  private let clock = ManualClock()

  private func limits(bytes: Int = 1 << 20, rows: Int = 100_000) -> PreviewCache.Limits {
    var limits = PreviewCache.Limits()
    limits.maximumFileBytes = bytes
    limits.maximumRows = rows
    limits.maximumEntries = 10
    return limits
  }

  private func path(_ directory: String) -> String { "\(directory)/\(PreviewCache.fileName)" }

  @Test("an entry that cannot be purged from the file is not read from it again")
  func failedPurge() async throws {
    try await Previews.withDirectory { directory in
      let cache = PreviewCache(directory, clock)
      let links = [try Previews.link("a"), try Previews.link("b")]
      for link in links { cache.insert(report: .found(Previews.full), for: link) }
      cache.settle()
      let other = try SharedDatabase(path: "\(directory)/\(PreviewCache.fileName)")
      try other.withDatabase { try $0.execute("BEGIN IMMEDIATE") }
      #expect(await cache.purged(.link(links[0])) == 1)
      other.close()
      #expect(await cache.loaded(links[0]) == nil)
      #expect(await cache.loaded(links[1]) != nil)
      cache.close()
      let second = PreviewCache(directory, clock)
      #expect(second.find(links[0]) == nil)
      second.close()
    }
  }

  @Test(
    "file and log stay within their size limits under thousands of entries",
    arguments: [(1 << 20, 200), (1 << 20, 9_000), (4 << 20, 30_000), (4 << 20, 3_000)])
  func bytes(limit: Int, size: Int) async throws {
    try await Previews.withDirectory { directory in
      let log = LogRecorder()
      let cache = PreviewCache(directory, clock, limits(bytes: limit), log: log)
      var largest = 0
      for number in 0..<2_500 {
        clock.advance(by: 1)
        // Mixed up, so that the pages of the indexes are touched all over.
        let host = "h\(number &* 7_919 % 2_500).example"
        cache.insert(
          report: .found(Previews.large(number % 2 * size + number % 97)),
          for: try Previews.link("\(number)", host: host))
        if number % 25 == 0 {
          cache.settle()
          largest = max(largest, try Previews.diskBytes(directory))
        }
      }
      cache.settle()
      #expect(largest <= limit, "\(largest) bytes")
      #expect(cache.figures.fileByteCount <= limit / 4 * 3)
      // The room is used, and the last of what was stored is there.
      #expect(size < 1_000 || cache.figures.fileByteCount > limit / 2)
      let last = try Previews.link("2499", host: "h\(2_499 &* 7_919 % 2_500).example")
      #expect(await cache.loaded(last) != nil)
      let count = cache.figures.rowCount
      #expect(await cache.purged(.all) >= count)
      #expect(cache.figures.rowCount == 0)
      #expect(try Previews.diskBytes(directory) < 100_000)
      #expect(log.texts.isEmpty)
      cache.close()
    }
  }

  @Test("a lowered limit applies from the next start on")
  func lowered() async throws {
    try await Previews.withDirectory { directory in
      let first = PreviewCache(directory, clock, limits(bytes: 8 << 20))
      for number in 0..<400 {
        clock.advance(by: 1)
        first.insert(
          report: .found(Previews.large(9_000)), for: try Previews.link("\(number)"))
      }
      first.close()
      #expect(try Previews.diskBytes(directory) > 2 << 20)
      let second = PreviewCache(directory, clock, limits(bytes: 1 << 20))
      #expect(try Previews.diskBytes(directory) <= 1 << 20)
      #expect(await second.loaded(try Previews.link("399")) != nil)
      #expect(await second.loaded(try Previews.link("0")) == nil)
      second.close()
      let none = PreviewCache(directory, clock, limits(bytes: 0))
      #expect(try Previews.diskBytes(directory) == 0)
      #expect(none.find(try Previews.link("399")) == nil)
      none.close()
    }
  }

  @Test("expired entries are removed over time")
  func expired() async throws {
    try await Previews.withDirectory { directory in
      let cache = PreviewCache(directory, clock, limits())
      for number in 0..<1_000 {
        cache.insert(report: .empty, for: try Previews.link("\(number)"))
      }
      cache.settle()
      #expect(cache.figures.rowCount == 1_000)
      clock.advance(by: 300_000)
      for number in 0..<20 {
        cache.insert(report: .found(Previews.full), for: try Previews.link("new\(number)"))
        cache.settle()
      }
      #expect(cache.figures.rowCount == 20)
      #expect(await cache.page().entries.count == 20)
      cache.close()
    }
  }

  @Test("the file keeps at most its maximum of rows; those that expire first are removed first")
  func rows() async throws {
    try await Previews.withDirectory { directory in
      let cache = PreviewCache(directory, clock, limits(rows: 10))
      cache.insert(report: .empty, for: try Previews.link("empty"))
      for number in 0..<50 {
        clock.advance(by: 1)
        cache.insert(report: .found(Previews.full), for: try Previews.link("\(number)"))
      }
      cache.close()
      let second = PreviewCache(directory, clock, limits(rows: 10))
      #expect(second.figures.rowCount == 10)
      #expect(await second.loaded(try Previews.link("39")) == nil)
      #expect(await second.loaded(try Previews.link("40")) != nil)
      #expect(await second.loaded(try Previews.link("empty")) == nil)
      second.close()
    }
  }

  @Test("cached entries are written to the file by themselves, and are found until then")
  func gathering() async throws {
    try await Previews.withDirectory { directory in
      var small = limits()
      small.maximumEntries = 1
      let cache = PreviewCache(directory, clock, small)
      for number in 0..<5 {
        cache.insert(report: .found(Previews.full), for: try Previews.link("\(number)"))
      }
      #expect(await cache.loaded(try Previews.link("0"))?.entry.tag == Previews.full)
      try await Deadline.standard.wait(for: "five rows") { cache.figures.rowCount >= 5 }
      cache.close()
    }
  }

  @Test("written entries survive an end without closing")
  func crash() async throws {
    try await Previews.withDirectory { directory in
      let cache = PreviewCache(directory, clock, limits())
      for number in 0..<40 {
        cache.insert(
          report: .found(Previews.large(5_000)), for: try Previews.link("\(number)"))
      }
      cache.settle()
      // What a killed process leaves is what its files hold now.
      let copy = directory + "/copy"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: path(directory) + suffix, toPath: path(copy) + suffix)
      }
      let log = LogRecorder()
      let second = PreviewCache(copy, clock, limits(), log: log)
      #expect(second.figures.rowCount == 40)
      #expect(await second.loaded(try Previews.link("39"))?.entry.tag == Previews.large(5_000))
      #expect(log.texts.isEmpty)
      second.close()
      cache.close()
    }
  }

  @Test(
    "an unreadable file is rebuilt, and that is logged once",
    arguments: ["noise", "truncated", "earlier version", "later version", "another table"])
  func damage(kind: String) async throws {
    try await Previews.withDirectory { directory in
      try prepare(kind, in: directory)
      let log = LogRecorder()
      let link = try Previews.link("a")
      let cache = PreviewCache(directory, clock, limits(), log: log)
      cache.insert(report: .found(Previews.full), for: link)
      cache.close()
      #expect(
        log.texts == ["warning: the preview cache file cannot be read; creating a new one"])
      let second = PreviewCache(directory, clock, limits(), log: log)
      #expect(second.find(link)?.entry.tag == Previews.full)
      #expect(log.texts.count == 1)
      second.close()
    }
  }

  private func prepare(_ kind: String, in directory: String) throws {
    let url = URL(filePath: path(directory))
    let sql =
      switch kind {
      case "earlier version":
        "CREATE TABLE preview (link TEXT PRIMARY KEY NOT NULL, expires_at INTEGER) WITHOUT ROWID"
      case "later version": "CREATE TABLE preview (link TEXT); PRAGMA user_version = 99"
      case "another table": "CREATE TABLE preview (link TEXT); PRAGMA user_version = 3"
      default: ""
      }
    if !sql.isEmpty {
      let database = try Database(path: path(directory))
      try database.execute(script: sql)
      return database.close()
    }
    guard kind == "truncated" else {
      return try Data(repeating: 0x78, count: 10_000).write(to: url)
    }
    let cache = PreviewCache(directory, clock, limits())
    for number in 0..<100 {
      cache.insert(report: .found(Previews.large(4_000)), for: try Previews.link("\(number)"))
    }
    cache.close()
    let content = try Data(contentsOf: url)
    try content.prefix(content.count / 3).write(to: url)
  }

  @Test("with an unwritable directory only memory is used, and that is logged once")
  func unwritable() throws {
    for directory in ["/proc/none", "/dev/null/deeper"] {
      let log = LogRecorder()
      let cache = PreviewCache(directory, clock, limits(), log: log)
      let link = try Previews.link("a")
      cache.insert(report: .found(Previews.full), for: link)
      cache.settle()
      #expect(cache.find(link)?.entry.tag == Previews.full)
      cache.close()
      #expect(
        log.texts == [
          "warning: the preview cache file cannot be used; keeping previews in memory only"
        ])
    }
  }

  @Test("a file damaged while in use is abandoned, and recreated at the next start")
  func damageInUse() async throws {
    try await Previews.withDirectory { directory in
      let log = LogRecorder()
      let cache = PreviewCache(directory, clock, limits(), log: log)
      let other = try SharedDatabase(path: path(directory))
      try other.withDatabase { try $0.execute("DROP TABLE preview") }
      other.close()
      for name in ["a", "b"] {
        cache.insert(report: .found(Previews.full), for: try Previews.link(name))
        cache.settle()
      }
      #expect(cache.find(try Previews.link("b"))?.entry.tag == Previews.full)
      #expect(
        log.texts == [
          "warning: the preview cache file cannot be used; keeping previews in memory only"
        ])
      cache.close()
      let second = PreviewCache(directory, clock, limits(), log: log)
      second.insert(report: .found(Previews.full), for: try Previews.link("a"))
      second.settle()
      #expect(second.figures.rowCount == 1)
      #expect(log.texts.count == 1)
      second.close()
    }
  }
}
