import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Bans and mutes", .onEachDatabase, .onOwnThreads)
struct RestrictionsTests {
  @Test("a ban is recorded, found while it lasts, and replaced by a later one")
  func bans() async throws {
    let fixture = try await Fixture()
    let ban = Restriction(userID: "cy", startsAt: 1_000, endsAt: 61_000, description: "spam")
    let event = try await fixture.store.write { try $0.ban(channelURL: "lobby", ban) }
    #expect(event.name == .userBanned)
    #expect(event.seq == 1)
    let cy = User(id: "cy", nickname: "Cy")
    #expect(try event.event() == .userBanned(.init(user: cy, seconds: 60, description: "spam")))
    let state = try await fixture.store.read { try $0.channel("lobby") }
    #expect(state?.bans == ["cy": ban])
    #expect(state?.mutes == [:])
    let longer = Restriction(userID: "cy", startsAt: 2_000, endsAt: 90_000)
    try await fixture.store.write { _ = try $0.ban(channelURL: "lobby", longer) }
    func found(at now: Int64) async throws -> Restriction? {
      try await fixture.store.read { [lobby = fixture.lobby] in
        try $0.restriction(.ban, channelID: lobby.id, userID: "cy", at: now)
      }
    }
    #expect(try await found(at: 89_999) == longer)
    #expect(try await found(at: 90_000) == nil)
    func looked(at now: Int64, in url: String) async throws -> Restriction? {
      let lookup = RestrictionLookup(.ban, of: "cy", inChannel: url, at: now)
      return try await fixture.store.perform(lookup)
    }
    #expect(try await looked(at: 89_999, in: "lobby") == longer)
    #expect(try await looked(at: 90_000, in: "lobby") == nil)
    await #expect(throws: StoreError.notFound(.channel)) { try await looked(at: 1, in: "nowhere") }
  }

  @Test("lifting a restriction reports whether there was one")
  func lifts() async throws {
    let fixture = try await Fixture()
    let events = try await fixture.store.write { transaction in
      _ = try transaction.mute(
        channelURL: "lobby", Restriction(userID: "ann", startsAt: 1, endsAt: 100))
      _ = try transaction.mute(
        channelURL: "lobby", Restriction(userID: "bob", startsAt: 1, endsAt: 100))
      return try [
        transaction.unmute(channelURL: "lobby", userID: "ann", at: 50),
        transaction.unmute(channelURL: "lobby", userID: "ann", at: 51),
        transaction.unban(channelURL: "lobby", userID: "ann", at: 52),
        transaction.unmute(channelURL: "lobby", userID: "bob", at: 100),
      ].map { $0?.name }
    }
    #expect(events == [.userUnmuted, nil, nil, nil])
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.write { transaction in
        try transaction.mute(
          channelURL: "lobby", Restriction(userID: "nobody", startsAt: 1, endsAt: 2))
      }
    }
  }

  @Test("lists omit expired restrictions, and are paged")
  func lists() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      for number in 10..<35 {
        let id = "user\(number)"
        _ = try transaction.upsertUser(id, at: 1)
        _ = try transaction.ban(
          channelURL: "lobby",
          Restriction(userID: id, startsAt: 1, endsAt: number.isMultiple(of: 5) ? 10 : 100))
      }
    }
    func page(_ token: String, _ kind: RestrictionKind = .ban) async throws -> RestrictionPage {
      try await fixture.store.read { [lobby = fixture.lobby] in
        try $0.listRestrictions(kind, channelID: lobby.id, at: 10, limit: 12, token: token)
      }
    }
    let first = try await page("")
    let second = try await page(first.next)
    #expect(second.next.isEmpty)
    let ids = (first.restrictions + second.restrictions).map(\.user.id)
    #expect(ids == (10..<35).filter { !$0.isMultiple(of: 5) }.map { "user\($0)" })
    await #expect(throws: StoreError.invalidPageToken) { try await page(first.next, .mute) }
  }
}
