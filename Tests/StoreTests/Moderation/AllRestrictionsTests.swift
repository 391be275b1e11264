import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Restrictions of all channels", .onEachDatabase, .onOwnThreads)
struct AllRestrictionsTests {
  /// Shows an item as `ban ann in lobby at 5`.
  private static func text(_ item: PlacedRestriction) -> String {
    "\(item.kind.rawValue) \(item.user.id) in \(item.channelURL) at \(item.restriction.startsAt)"
  }

  private func page(
    _ fixture: Fixture, _ kind: RestrictionKind? = nil, user: String? = nil, channel: String? = nil,
    at now: Int64 = 50, limit: Int = 100, token: String = ""
  ) async throws -> ListPage<String> {
    let listing = AllRestrictionsListing(
      kind, ofUser: user, inChannel: channel, at: now, limit: limit, token: token,
      as: TextEncoder { Self.text($0) })
    return try await fixture.store.read { try listing.statements.run($0) }
  }

  private struct TextEncoder: PageEncoder {
    let text: @Sendable (PlacedRestriction) -> String
    init(_ text: @escaping @Sendable (PlacedRestriction) -> String) { self.text = text }
    func encode(_ item: PlacedRestriction) -> PageItem<String> {
      PageItem(text(item), byteCount: 1)
    }
  }

  private func stage() async throws -> Fixture {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      _ = try transaction.createChannel(Channel(url: "annex", createdAt: 1), epoch: "one")
      func restriction(_ user: String, _ start: Int64, until end: Int64 = 100) -> Restriction {
        Restriction(userID: user, startsAt: start, endsAt: end, description: "spam")
      }
      _ = try transaction.ban(channelURL: "lobby", restriction("ann", 5))
      _ = try transaction.mute(channelURL: "lobby", restriction("ann", 5))
      _ = try transaction.mute(channelURL: "annex", restriction("bob", 9))
      _ = try transaction.ban(channelURL: "annex", restriction("bob", 3))
      _ = try transaction.mute(channelURL: "lobby", restriction("bob", 7, until: 50))
      _ = try transaction.ban(channelURL: "annex", restriction("ann", 1))
    }
    return fixture
  }

  @Test("bans and mutes that are in effect are listed together, newest first")
  func lists() async throws {
    let fixture = try await stage()
    let all = [
      "mute bob in annex at 9", "ban ann in lobby at 5", "mute ann in lobby at 5",
      "ban bob in annex at 3", "ban ann in annex at 1",
    ]
    // The ban and the mute of ann begin at the same time, and come in either order.
    #expect(try await page(fixture).items.sorted() == all.sorted())
    #expect(try await page(fixture).items.map { $0.suffix(1) } == ["9", "5", "5", "3", "1"])
    #expect(try await page(fixture, at: 49).items.contains("mute bob in lobby at 7"))
    #expect(try await page(fixture, at: 100).items == [])
    #expect(try await page(fixture, .ban).items == all.filter { $0.hasPrefix("ban") })
    #expect(try await page(fixture, .mute).items == all.filter { $0.hasPrefix("mute") })
    #expect(try await page(fixture, user: "bob").items == all.filter { $0.contains(" bob ") })
    #expect(try await page(fixture, channel: "annex").items == all.filter { $0.contains("annex") })
    #expect(
      try await page(fixture, .ban, user: "ann", channel: "annex").items == [
        "ban ann in annex at 1"
      ])
    #expect(try await page(fixture, user: "cy").items == [])
    #expect(try await page(fixture, channel: "nowhere").items == [])
  }

  @Test("pages of any size are the list in parts, and a token is valid for its list only")
  func pages() async throws {
    let fixture = try await stage()
    let all = try await page(fixture).items
    for limit in 1...6 {
      var (found, token) = ([String](), "")
      repeat {
        let next = try await page(fixture, limit: limit, token: token)
        #expect(next.items.count <= limit)
        found += next.items
        token = next.next
      } while !token.isEmpty && found.count <= all.count
      // Restrictions of the same place come in either order.
      #expect(found.sorted() == all.sorted(), "pages of \(limit)")
      #expect(found.map { $0.suffix(1) } == all.map { $0.suffix(1) }, "pages of \(limit)")
    }
    let token = try await page(fixture, limit: 1).next
    await #expect(throws: StoreError.invalidPageToken) {
      try await page(fixture, .ban, token: token)
    }
    await #expect(throws: StoreError.invalidPageToken) {
      try await page(fixture, user: "ann", token: token)
    }
    await #expect(throws: StoreError.invalidPageToken) { try await page(fixture, token: "x") }
  }
}
