import TestSupport
import Testing

@testable import Store

@Suite("The position up to which announcements are read", .onOwnThreads)
struct AnnouncementCursorTests {
  /// A database in which transactions take numbers, and end in any order.
  private struct Model {
    private struct Transaction {
      let number: Int64
      var ids: [Int64] = []
    }

    private(set) var committed: [AnnouncementEntry] = []
    private var open: [Transaction] = []
    private var lastTransaction: Int64 = 0
    private var lastID: Int64 = 0
    private var now: Int64 = 1_000_000_000

    var openCount: Int { open.count }

    mutating func begin() {
      lastTransaction += 1
      open.append(Transaction(number: lastTransaction))
    }

    mutating func announce(in index: Int) {
      lastID += 1
      open[index].ids.append(lastID)
    }

    mutating func end(_ index: Int, commits: Bool) {
      let transaction = open.remove(at: index)
      guard commits else { return }
      committed += transaction.ids.map { AnnouncementEntry(id: $0, createdAt: now, .limits) }
      committed.sort { $0.id < $1.id }
    }

    mutating func wait(_ milliseconds: Int64) { now += milliseconds }

    /// What a read finds.
    func page(_ read: AnnouncementRead, limit: Int) -> AnnouncementPage {
      let found = committed.filter { read.covers($0.id) }
      let entries = read == .newest ? found.suffix(limit) : found.prefix(limit)
      return AnnouncementPage(
        entries: Array(entries), isLast: found.count <= limit, now: now,
        firstOpenTransaction: open.map(\.number).min() ?? lastTransaction + 1,
        nextTransaction: lastTransaction + 1)
    }
  }

  @Test("each row is read once, in whatever order transactions commit", arguments: 0..<200 as Range)
  func readsAll(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var model = Model()
    for _ in 0..<20 { step(&model, &random) }
    let before = Set(model.committed.map(\.id))
    var cursor = AnnouncementCursor(after: model.page(.newest, limit: 50))
    var read: [Int64] = []
    func take() {
      while true {
        let page = model.page(cursor.next, limit: 5)
        guard case .entries(let entries) = cursor.take(page) else {
          Issue.record("nothing is missing")
          return
        }
        read += entries.map(\.id)
        if page.isLast { return }
      }
    }
    for _ in 0..<400 {
      step(&model, &random)
      if Int.random(in: 0..<4, using: &random) == 0 { take() }
    }
    while model.openCount > 0 { model.end(0, commits: true) }
    take()
    take()
    #expect(read.count == Set(read).count)
    #expect(Set(read) == Set(model.committed.map(\.id)).subtracting(before))
    // A transaction that stays open keeps no number for longer than itself.
    guard case .following(_, let missing) = cursor.next.range else { return }
    #expect(missing.isEmpty)
  }

  private func step(_ model: inout Model, _ random: inout SeededGenerator) {
    model.wait(10)
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: model.begin()
    case 2, 3:
      guard model.openCount > 0 else { return }
      model.announce(in: Int.random(in: 0..<model.openCount, using: &random))
    default:
      guard model.openCount > 0 else { return }
      // The first one stays open for long.
      let index = model.openCount == 1 ? 0 : Int.random(in: 1..<model.openCount, using: &random)
      model.end(index, commits: Int.random(in: 0..<4, using: &random) > 0)
    }
  }

  private func entry(_ id: Int64, at time: Int64) -> AnnouncementEntry {
    AnnouncementEntry(id: id, createdAt: time, .limits)
  }

  private func page(_ entries: [AnnouncementEntry], now: Int64) -> AnnouncementPage {
    AnnouncementPage(entries: entries, now: now, firstOpenTransaction: 9, nextTransaction: 9)
  }

  @Test("a server that was away for longer than rows are kept reloads everything")
  func isAway() {
    var cursor = AnnouncementCursor(after: page([entry(4, at: 1_000)], now: 2_000))
    let half = Announcement.retention / 2
    // The last row was removed with the others of its time.
    #expect(
      cursor.take(page([entry(9, at: 1_500_000)], now: 1_000 + half))
        == .entries([entry(9, at: 1_500_000)]))
    #expect(cursor.take(page([entry(9, at: 1_500_000)], now: 2_000 + 2 * half)) == .gap)
  }

  @Test("rows of a database that lost its last commits are not confused with rows read before")
  func isRewound() {
    let cursor = AnnouncementCursor(after: page([entry(4, at: 1_000)], now: 2_000))
    var second = cursor
    #expect(second.take(page([entry(4, at: 1_000)], now: 3_000)) == .entries([]))
    second = cursor
    #expect(second.take(page([], now: 3_000)) == .gap)
    second = cursor
    #expect(second.take(page([entry(4, at: 2_900), entry(5, at: 2_950)], now: 3_000)) == .gap)
  }

  @Test("a cursor begins in an empty table, whatever numbers were used before")
  func beginsEmpty() {
    var cursor = AnnouncementCursor(after: page([], now: 2_000))
    #expect(
      cursor.take(page([entry(1_000_000, at: 2_500)], now: 3_000))
        == .entries([entry(1_000_000, at: 2_500)]))
  }
}

extension AnnouncementRead {
  fileprivate func covers(_ id: Int64) -> Bool {
    switch range {
    case .newest: true
    case .following(let last, let missing): id >= last || missing.contains(id)
    }
  }
}
