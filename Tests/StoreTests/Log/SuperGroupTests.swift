import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Super groups in the log", .serialized, .onOwnThreads)
struct SuperGroupTests {
  private func superGroup(
    _ fixture: LogFixture, inviting ids: [String] = []
  ) async throws -> ChannelState {
    let group = LogFixture.group("hall", isSuper: true)
    return try #require(
      await fixture.perform(.create(group, epoch: "e", inviting: ids)).state)
  }

  private func seqs(_ result: LogResult) -> [[Int64?]] {
    (result.changes ?? []).map { change in
      guard case .members(let members) = change else { return [] }
      return members.map(\.seq)
    }
  }

  @Test(
    "changes of members take no number and are not among the missed events",
    arguments: LogKind.allCases)
  func quiet(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let hall = try await superGroup(fixture, inviting: ["bob", "dan"])
    #expect(hall.lastSeq == 0 && hall.channel.group?.isSuper == true)
    #expect(hall.channel.group?.memberCount == 3 && hall.channel.group?.joinedCount == 2)
    let place = hall.place
    try await fixture.post(["ann"], from: 1, to: place)
    #expect(seqs(await fixture.change(place, .invite(["cy"], by: nil))) == [[nil]])
    #expect(seqs(await fixture.change(place, .join(userID: "dan", visibleFrom: 5))) == [[nil]])
    #expect(seqs(await fixture.change(place, .depart(["bob", "cy"], .left))) == [[nil, nil]])
    let frozen = await fixture.change(place, .freeze(true), .depart(["dan"], .left))
    #expect(frozen.changes?.map(\.seq) == [2, nil])
    #expect(try await fixture.events(place) == ["1 message", "2 frozen"])
    let state = try #require(await fixture.state("hall"))
    #expect(state.members.map(\.user.id) == ["ann"] && state.channel.group?.memberCount == 1)
    #expect(state.channel.group?.isSuper == true && state.lastSeq == 2)
  }

  @Test("a group of more than 100 members is quiet too", arguments: LogKind.allCases)
  func large(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let ids = (0..<101).map { "user-\($0)" }
    if let store = fixture.store {
      try await store.write { for id in ids { _ = try $0.upsertUser(id, at: 1) } }
    } else if let log = fixture.log as? MemoryLog {
      log.change { for id in ids { $0.set(User(id: id)) } }
    }
    let place = try #require(await fixture.create(inviting: Array(ids.prefix(98))).state?.place)
    #expect(seqs(await fixture.change(place, .invite([ids[98]], by: nil))) == [[99]])
    #expect(
      seqs(await fixture.change(place, .invite([ids[99], ids[100]], by: nil))) == [[nil, nil]])
    #expect(seqs(await fixture.change(place, .depart([ids[0], ids[1]], .left))) == [[nil, nil]])
    #expect(seqs(await fixture.change(place, .depart([ids[2]], .left))) == [[100]])
    #expect(await fixture.state("den")?.lastSeq == 100)
  }

  @Test("lists tell super groups from others", .onEachDatabase)
  func lists() async throws {
    let fixture = try await LogFixture(StoreUnderTest.current == .sqlite ? .sqlite : .postgreSQL)
    let store = try #require(fixture.store)
    let hall = try await superGroup(fixture, inviting: ["bob"])
    let den = try #require(await fixture.create(inviting: ["bob"]).state?.place)
    try await fixture.post(["ann", "ann"], from: 1, to: hall.place)
    try await fixture.post(["ann"], from: 3, to: den)
    for (mode, urls) in [(nil, ["den", "hall"]), (true, ["hall"]), (false, ["den"])]
      as [(Bool?, [String])]
    {
      var filter = GroupFilter()
      filter.isSuper = mode
      let list = GroupList(filter, order: .latestLastMessage, memberLimit: 9, limit: 9)
      let page = try await store.read {
        try $0.listGroups(list, of: .memberships(ofUser: "bob"), at: 99) {
          PageItem($0, byteCount: 1)
        }
      }
      #expect(page.items.map(\.state.channel.url) == urls)
      for group in page.items {
        #expect(group.members.isEmpty == (group.state.channel.url == "hall"))
      }
    }
  }
}
