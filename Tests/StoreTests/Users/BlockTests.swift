import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Blocks of users", .onEachDatabase, .onOwnThreads)
struct BlockTests {
  private struct Ids: PageEncoder {
    func encode(_ account: Account) -> PageItem<String> {
      PageItem(account.user.id, byteCount: 100)
    }
  }

  private func list(
    _ store: Store, of userID: String = "ann", _ direction: BlockDirection = .byUser,
    among ids: [String] = [], limit: Int = 100
  ) async throws -> [[String]] {
    var pages: [[String]] = []
    var token: String?
    repeat {
      let listing = BlockListing(
        of: userID, direction, among: ids, limit: limit, token: token, as: Ids())
      let page = try await store.perform(listing, for: .server)
      pages.append(page.items)
      token = page.next
    } while token?.isEmpty == false
    return pages
  }

  private func addUsers(_ store: Store, _ count: Int) async throws -> [String] {
    let ids = (0..<count).map { "u" + String(10_000 + $0) }
    try await store.write { transaction in
      for id in ids { _ = try transaction.upsertUser(id, at: 1) }
    }
    return ids
  }

  @Test("blocks have one direction, and may be set and ended repeatedly")
  func directions() async throws {
    let store = try await Fixture().store
    for _ in 0..<2 {
      try await store.perform(BlockAddition(by: "ann", of: ["cy", "bob"]))
      #expect(try await list(store) == [["bob", "cy"]])
      #expect(try await list(store, of: "bob") == [[]])
      #expect(try await list(store, of: "bob", .ofUser) == [["ann"]])
      #expect(try await list(store, among: ["ann", "cy"]) == [["cy"]])
    }
    for _ in 0..<2 {
      try await store.perform(BlockRemoval(by: "ann", of: "bob"))
      try await store.perform(BlockRemoval(by: "ann", of: "ghost"))
      #expect(try await list(store) == [["cy"]])
    }
    let blockers = try await store.perform(BlockersLookup(of: "cy", among: ["ann", "bob"]))
    #expect(blockers == ["ann"])
  }

  @Test("an unknown user is not blocked, and none of those named with it")
  func unknown() async throws {
    let store = try await Fixture().store
    for (userID, ids) in [("ann", ["bob", "ghost"]), ("ghost", ["bob"])] {
      await #expect(throws: StoreError.noUser("ghost")) {
        try await store.perform(BlockAddition(by: userID, of: ids))
      }
    }
    #expect(try await list(store) == [[]])
  }

  @Test("a user blocks a limited number of others")
  func limit() async throws {
    let store = try await Fixture().store
    let ids = try await addUsers(store, Limits.blockedUserCount)
    try await store.perform(BlockAddition(by: "ann", of: ids))
    let refusal = StoreError.tooManyItems(limit: Limits.blockedUserCount)
    await #expect(throws: refusal) {
      try await store.perform(BlockAddition(by: "ann", of: ["bob"]))
    }
    try await store.perform(BlockAddition(by: "ann", of: [ids[3]]))
    try await store.perform(BlockRemoval(by: "ann", of: ids[3]))
    try await store.perform(BlockAddition(by: "ann", of: ["bob"]))
    await #expect(throws: refusal) {
      try await store.perform(BlockAddition(by: "ann", of: [ids[3]]))
    }
  }

  @Test("pages add up to all blocked users, and a token belongs to its list")
  func pages() async throws {
    let store = try await Fixture().store
    let ids = try await addUsers(store, 25)
    try await store.perform(BlockAddition(by: "ann", of: ids.reversed()))
    for id in ids { try await store.perform(BlockAddition(by: id, of: ["bob"])) }
    let pages = try await list(store, limit: 10)
    #expect(pages.map(\.count) == [10, 10, 5] && pages.flatMap(\.self) == ids)
    #expect(try await list(store, of: "bob", .ofUser, limit: 7).flatMap(\.self) == ids)
    let listing = BlockListing(of: "ann", limit: 3, as: Ids())
    var others = Array(repeating: listing, count: 3)
    (others[0].userID, others[1].direction, others[2].ids) = ("bob", .ofUser, ["cy"])
    let token = try await store.perform(listing, for: .server).next
    for index in others.indices {
      others[index].token = token
      let other = others[index]
      await #expect(throws: StoreError.invalidPageToken) {
        try await store.perform(other, for: .server)
      }
    }
  }

  @Test("the deletion of a user removes its blocks in both directions, some at a time")
  func deletion() async throws {
    let store = try await Fixture().store
    let ids = try await addUsers(store, 150)
    try await store.perform(BlockAddition(by: "ann", of: ids + ["bob"]))
    for id in ids + ["cy"] { try await store.perform(BlockAddition(by: id, of: ["ann"])) }
    try await store.perform(BlockAddition(by: "bob", of: ["cy"]))
    let none = UserTraces(unbannedFrom: [], unmutedIn: [])
    #expect(try await store.perform(UserDeletionStep("ann")) == .unfinished(none))
    #expect(try await list(store).flatMap(\.self).count == 51)
    #expect(try await store.perform(UserDeletionStep("ann")) == .finished(none))
    #expect(try await list(store) == [[]])
    #expect(try await list(store, of: "cy") == [[]])
    #expect(try await list(store, of: "bob") == [["cy"]])
  }

  @Test("groups of exactly two members are found")
  func groupsOfTwo() async throws {
    let store = try await Fixture().store
    try await store.write { transaction in
      for (url, ids) in [("one", []), ("two", ["bob"]), ("all", ["bob", "cy"]), ("duo", ["cy"])] {
        let group = Channel(url: url, createdAt: 5, group: Group(createdBy: User(id: "ann")))
        _ = try transaction.createGroup(group, epoch: "e", inviting: ids)
      }
    }
    let found = try await store.perform(GroupsOfTwo(of: "ann", andOneOf: ["bob", "dan"]))
    #expect(found == [GroupOfTwo(url: "two", otherID: "bob")])
    let both = try await store.perform(GroupsOfTwo(of: "ann", andOneOf: ["bob", "cy"]))
    #expect(Set(both.map(\.url)) == ["two", "duo"])
    #expect(try await store.perform(GroupsOfTwo(of: "bob", andOneOf: ["cy"])) == [])
  }

  @Test("the list of members shows blocks in both directions to the user as whom it is seen")
  func members() async throws {
    let store = try await Fixture().store
    try await store.perform(BlockAddition(by: "ann", of: ["bob"]))
    try await store.perform(BlockAddition(by: "cy", of: ["ann"]))
    let id = try await store.write { transaction -> Int64 in
      let group = Channel(url: "den", createdAt: 5, group: Group(createdBy: User(id: "ann")))
      _ = try transaction.createGroup(group, epoch: "e", inviting: ["bob", "cy"])
      return try transaction.existingChannel("den").id
    }
    for (viewerID, expected) in [
      ("ann", ["ann", "bob <", "cy >"]), ("bob", ["ann >", "bob", "cy"]),
      (nil, ["ann", "bob", "cy"]),
    ] as [(String?, [String])] {
      let shown = try await store.read { transaction in
        try transaction.listMembers(channelID: id, seenBy: viewerID, limit: 10) { listed in
          PageItem(
            listed.member.user.id + (listed.isBlocked ? " <" : "")
              + (listed.isBlocking ? " >" : ""), byteCount: 1)
        }.items
      }
      #expect(shown.sorted() == expected)
    }
  }

  private struct URLs: PageEncoder {
    func encode(_ group: ListedGroup) -> PageItem<String> {
      PageItem(group.state.channel.url, byteCount: 1)
    }
  }

  @Test("an invitation by a blocked user is not listed, and counted when the block ends")
  func unwantedInvitation() async throws {
    let store = try await Fixture().store
    try await store.perform(BlockAddition(by: "ann", of: ["bob"]))
    try await store.write { transaction in
      for (url, creatorID) in [("den", "bob"), ("hut", "cy")] {
        let group = Channel(url: url, createdAt: 5, group: Group(createdBy: User(id: creatorID)))
        _ = try UserChoicesChange(of: "ann", acceptsInvitations: false).statements
          .run(transaction)
        _ = try transaction.createGroup(group, epoch: "e", inviting: ["ann"])
      }
    }
    func shown() async throws -> ([String], Int64) {
      let listing = GroupListing(
        GroupList(GroupFilter(), order: .chronological, limit: 10), of: .memberships(ofUser: "ann"),
        at: 9, as: URLs())
      let page = try await store.perform(listing, for: .server)
      let totals = try await store.perform(
        UnreadTotals(of: "ann", try GroupTotals(Fields(query: [:]))), for: .server)
      return (page.items.sorted(), totals.invitationCount)
    }
    var (urls, count) = try await shown()
    #expect(urls == ["hut"] && count == 1)
    try await store.perform(BlockRemoval(by: "ann", of: "bob"))
    (urls, count) = try await shown()
    #expect(urls == ["den", "hut"] && count == 2)
  }
}
