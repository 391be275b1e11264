import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Listing channels by their participants", .onEachDatabase, .onOwnThreads)
struct CountedChannelListingTests {
  /// Channels, newest last, of which the first is frozen, and a group.
  private func makeStore(_ count: Int = 7) async throws -> Fixture {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      for index in 0..<count {
        let channel = Channel(
          url: "url-\(index)", name: "Name \(index)", customType: index < 3 ? "early" : "late",
          isFrozen: index == 0, createdAt: 100 + Int64(index / 2))
        _ = try transaction.createChannel(channel, epoch: "e")
      }
      let group = Channel(url: "den", createdAt: 1, group: Group(createdBy: User(id: "ann")))
      _ = try transaction.createGroup(group, epoch: "e", inviting: [])
    }
    return fixture
  }

  /// The pages of a list as a caller with these counts reads them.
  private func pages(
    _ fixture: Fixture, _ counts: [String: Int], _ query: ChannelQuery, candidates: Int = 100
  ) async throws -> [[String]] {
    var (query, pages) = (query, [[String]]())
    query.order = .participants
    repeat {
      let page = try await page(fixture, counts, query, candidates)
      pages.append(page.channels.map(\.url))
      query.token = page.next
    } while query.token?.isEmpty == false && pages.count < 50
    return pages
  }

  private func page(
    _ fixture: Fixture, _ counts: [String: Int], _ query: ChannelQuery, _ candidates: Int = 100
  ) async throws -> ChannelPage {
    let position = try query.participantPosition()
    var selection = FullestChannels.Selection(channels: [], isComplete: true)
    var isInRest = false
    if case .rest = position {
      isInRest = true
    } else {
      var last: CountedChannel?
      if case .counted(let channel) = position { last = channel }
      var fullest = FullestChannels(limit: candidates, after: last)
      for (url, count) in counts {
        fullest.offer(CountedChannel(url: url, participants: count))
      }
      selection = fullest.selection()
    }
    let counted = selection
    let page = try await fixture.store.read { transaction in
      try transaction.listChannels(query, counted: counted) { PageItem($0, byteCount: 0) }
    }
    let urls = Set(counted.channels.map(\.url))
    #expect(!isInRest || urls.isEmpty)
    // The caller leaves out channels that were listed before.
    let channels = page.items.filter { urls.contains($0.url) || counts[$0.url] == nil }
    return ChannelPage(channels: channels, next: page.next)
  }

  private let counts = ["url-1": 3, "url-4": 9, "url-2": 2, "den": 5, "gone": 7]

  @Test("those with the most participants come first, then the others, newest first")
  func order() async throws {
    let fixture = try await makeStore()
    let expected = ["url-4", "url-1", "url-2", "url-6", "url-5", "url-3", "url-0", "lobby"]
    #expect(try await pages(fixture, counts, ChannelQuery(limit: 100)) == [expected])
    #expect(try await pages(fixture, counts, ChannelQuery(limit: 8)) == [expected])
    for limit in 1...7 {
      for candidates in [1, 2, 3, 100] {
        let pages = try await pages(
          fixture, counts, ChannelQuery(limit: limit), candidates: candidates)
        #expect(pages.flatMap(\.self) == expected, "\(limit) of \(candidates): \(pages)")
        #expect(pages.allSatisfy { $0.count <= limit })
      }
    }
  }

  @Test("a page continues with the channels without participants")
  func crossing() async throws {
    let fixture = try await makeStore()
    let first = try await page(fixture, counts, ChannelQuery(order: .participants, limit: 5))
    #expect(first.channels.map(\.url) == ["url-4", "url-1", "url-2", "url-6", "url-5"])
    #expect(!first.next.isEmpty)
    let none = try await pages(fixture, [:], ChannelQuery(limit: 3))
    #expect(none.map(\.count) == [3, 3, 2])
  }

  @Test("filters apply to all channels")
  func filters() async throws {
    let fixture = try await makeStore()
    func found(_ change: (inout ChannelQuery) -> Void) async throws -> [String] {
      var query = ChannelQuery(limit: 2)
      change(&query)
      return try await pages(fixture, counts, query, candidates: 3).flatMap(\.self)
    }
    #expect(try await found { $0.customTypes = ["early"] } == ["url-1", "url-2", "url-0"])
    #expect(try await found { $0.nameContains = "NAME 4" } == ["url-4"])
    #expect(try await found { $0.urlContains = "l-2" } == ["url-2"])
    #expect(try await found { $0.freezing = .frozen } == ["url-0"])
    #expect(
      try await found { ($0.freezing, $0.customTypes) = (.unfrozen, ["late"]) }
        == ["url-4", "url-6", "url-5", "url-3"])
    #expect(try await found { $0.urls = ["url-5", "url-2", "den"] } == ["url-2", "url-5"])
  }

  @Test("a page ends where an answer is full, and continues there")
  func bytes() async throws {
    let fixture = try await makeStore()
    var (query, seen) = (ChannelQuery(order: .participants, limit: 100), [[String]]())
    repeat {
      var fullest = FullestChannels(limit: 100, after: nil)
      let position = try query.participantPosition()
      if case .counted(let last) = position { fullest = FullestChannels(limit: 100, after: last) }
      for (url, count) in counts { fullest.offer(CountedChannel(url: url, participants: count)) }
      var selection = fullest.selection()
      if case .rest = position {
        selection = FullestChannels.Selection(channels: [], isComplete: true)
      }
      let page = try await fixture.store.read { [query, selection] transaction in
        try transaction.listChannels(query, counted: selection) {
          PageItem($0.url, byteCount: 200_000)
        }
      }
      seen.append(page.items)
      query.token = page.next
    } while query.token?.isEmpty == false && seen.count < 9
    #expect(seen.allSatisfy { (1...2).contains($0.count) })
    #expect(seen.flatMap(\.self).prefix(5) == ["url-4", "url-1", "url-2", "url-6", "url-5"])
  }

  @Test("a token of another order or filter is refused")
  func tokens() async throws {
    let fixture = try await makeStore()
    let query = ChannelQuery(order: .participants, limit: 1)
    for counts in [counts, [:]] {
      let token = try await page(fixture, counts, query).next
      for other in [
        ChannelQuery(order: .created, token: token),
        ChannelQuery(order: .latestMessage, token: token),
      ] {
        await #expect(throws: StoreError.invalidPageToken) {
          try await fixture.store.read { try $0.listChannels(other) }
        }
      }
      var filtered = ChannelQuery(nameContains: "x", order: .participants, token: token)
      #expect(throws: StoreError.invalidPageToken) { try filtered.participantPosition() }
      filtered.nameContains = nil
      #expect(try filtered.participantPosition() != nil)
      filtered.token = String(token.dropLast())
      #expect(throws: StoreError.invalidPageToken) { try filtered.participantPosition() }
    }
  }
}
