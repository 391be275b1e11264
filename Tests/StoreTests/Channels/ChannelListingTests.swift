import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Listing channels", .onEachDatabase, .onOwnThreads)
struct ChannelListingTests {
  private func makeStore() async throws -> Fixture {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      let names = ["Ärzte", "ÄRZTE 2", "games", "Games & more", "100%_sure", "Ζευς"]
      for (index, name) in names.enumerated() {
        let channel = Channel(
          url: "url-\(index)", name: name, customType: index < 3 ? "early" : "late",
          isFrozen: index == 0, createdAt: 100 + Int64(index / 2))
        _ = try transaction.createChannel(channel, epoch: "e")
      }
    }
    return fixture
  }

  private func urls(_ fixture: Fixture, _ query: ChannelQuery) async throws -> [String] {
    try await fixture.store.read { try $0.listChannels(query) }.channels.map(\.url)
  }

  @Test("the newest comes first, and the later created of two with the same time")
  func isOrdered() async throws {
    let fixture = try await makeStore()
    let expected = ["url-5", "url-4", "url-3", "url-2", "url-1", "url-0", "lobby"]
    #expect(try await urls(fixture, ChannelQuery()) == expected)
  }

  @Test("names are compared case-insensitively, in any alphabet, and literally")
  func findsByName() async throws {
    let fixture = try await makeStore()
    #expect(try await urls(fixture, ChannelQuery(nameContains: "GAMES")) == ["url-3", "url-2"])
    #expect(try await urls(fixture, ChannelQuery(nameContains: "ärz")) == ["url-1", "url-0"])
    #expect(try await urls(fixture, ChannelQuery(nameContains: "ΖΕΥ")) == ["url-5"])
    #expect(try await urls(fixture, ChannelQuery(nameContains: "%_")) == ["url-4"])
    #expect(try await urls(fixture, ChannelQuery(nameContains: "nope")) == [])
  }

  @Test("the other filters are combined")
  func filters() async throws {
    let fixture = try await makeStore()
    #expect(try await urls(fixture, ChannelQuery(urlContains: "URL")) == [])
    #expect(
      try await urls(fixture, ChannelQuery(urlContains: "l-", customTypes: ["early"]))
        == ["url-2", "url-1", "url-0"])
    #expect(
      try await urls(fixture, ChannelQuery(customTypes: ["early"], freezing: .unfrozen))
        == ["url-2", "url-1"])
    #expect(
      try await urls(fixture, ChannelQuery(urls: ["url-0", "lobby", "url"]))
        == ["url-0", "lobby"])
  }

  @Test("pages add up to the whole list, whatever is created meanwhile")
  func pages() async throws {
    let fixture = try await makeStore()
    var seen: [String] = []
    var token: String?
    for page in 0..<10 {
      let query = ChannelQuery(limit: 3, token: token)
      let result = try await fixture.store.read { try $0.listChannels(query) }
      seen += result.channels.map(\.url)
      try await fixture.store.write {
        _ = try $0.createChannel(Channel(url: "new-\(page)", createdAt: 500), epoch: "e")
      }
      guard !result.next.isEmpty else { break }
      token = result.next
    }
    #expect(seen == ["url-5", "url-4", "url-3", "url-2", "url-1", "url-0", "lobby"])
  }

  @Test("groups are left out, also where they are named")
  func leavesGroupsOut() async throws {
    let fixture = try await makeStore()
    try await fixture.store.write { transaction in
      for number in 0..<8 {
        let group = Channel(
          url: "url-g\(number)", name: "games", customType: "early",
          createdAt: 99 + Int64(number / 2), group: Group(createdBy: User(id: "ann")))
        _ = try transaction.createGroup(group, epoch: "e", inviting: [])
      }
    }
    let all = ["url-5", "url-4", "url-3", "url-2", "url-1", "url-0", "lobby"]
    #expect(try await urls(fixture, ChannelQuery()) == all)
    #expect(try await urls(fixture, ChannelQuery(nameContains: "games")) == ["url-3", "url-2"])
    #expect(
      try await urls(fixture, ChannelQuery(customTypes: ["early"])) == ["url-2", "url-1", "url-0"])
    #expect(
      try await urls(fixture, ChannelQuery(urls: ["url-g1", "url-1", "url-g7", "lobby"]))
        == ["url-1", "lobby"])
    let page = try await fixture.store.read { try $0.listChannels(ChannelQuery(limit: 7)) }
    #expect(page.channels.map(\.url) == all && page.next.isEmpty)
  }

  @Test("a modified token, or one of another query, is refused")
  func validatesTokens() async throws {
    let fixture = try await makeStore()
    let token = try await fixture.store.read {
      try $0.listChannels(ChannelQuery(limit: 2)).next
    }
    var wrong = [
      "zz", "0", "00000000", String(token.dropLast(2)), token + "00", token.uppercased(),
    ]
    wrong.append(String(token.dropLast()) + (token.last == "0" ? "1" : "0"))
    wrong.append(String(repeating: "a", count: 100_000))
    for token in wrong {
      await #expect(throws: StoreError.invalidPageToken) {
        try await fixture.store.read { try $0.listChannels(ChannelQuery(token: token)) }
      }
    }
    await #expect(throws: StoreError.invalidPageToken) {
      try await fixture.store.read {
        try $0.listChannels(ChannelQuery(nameContains: "x", token: token))
      }
    }
  }
}
