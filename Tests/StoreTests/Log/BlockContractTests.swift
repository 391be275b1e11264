import ParleyProtocol
import TestSupport
import Testing

@testable import Channels
@testable import Store

@Suite("The contract of the log for blocks", .serialized, .onOwnThreads)
struct BlockContractTests {
  @Test(
    "a user who blocks the inviter of a new group is invited, as one who accepts invitations itself",
    arguments: LogKind.allCases)
  func creation(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    try await fixture.add(Block(by: "bob", of: "ann"))
    try await fixture.add(Block(by: "ann", of: "cy"))
    let state = try #require(await fixture.create(inviting: ["bob", "cy", "dan"]).state)
    #expect(state.members.map(\.state) == [.joined, .invited, .joined, .invited])
    #expect(state.members.map(\.blocksInviter) == [false, true, false, false])
    #expect(state.channel.group?.memberCount == 4 && state.channel.group?.joinedCount == 2)
    #expect(
      try await fixture.events(state.place) == [
        "1 invited bob,dan by ann 4/2", "2 joined cy 4/2",
      ])
    #expect(await fixture.state("den") == state)
    // The back end as such has no user to be blocked.
    let hut = try #require(await fixture.create("hut", by: nil, inviting: ["bob"]).state)
    #expect(hut.members.map(\.state) == [.joined])
  }

  @Test(
    "a user who blocks the inviter does not join when it is invited", arguments: LogKind.allCases)
  func invitation(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create().state?.place)
    try await fixture.add(Block(by: "bob", of: "ann"))
    let inviter = LogFixture.user("ann")
    let result = await fixture.change(den, .invite(["bob", "cy"], by: inviter))
    #expect(result.changes?.members == [["invited bob 1", "joined cy 2"]])
    guard case .members(let records)? = result.changes?.first else { return #expect(Bool(false)) }
    #expect(records.map(\.member.blocksInviter) == [true, false])
    #expect(try await fixture.member("bob", of: den).blocksInviter)
    let gone = await fixture.change(den, .depart(["bob"], .removed))
    guard case .members(let left)? = gone.changes?.first else { return #expect(Bool(false)) }
    #expect(left.map(\.member.blocksInviter) == [true])
    _ = await fixture.change(den, .invite(["bob"], by: inviter))
    try await fixture.remove(Block(by: "bob", of: "ann"))
    #expect(try await !fixture.member("bob", of: den).blocksInviter)
    // Accepting is the user's own decision.
    try await fixture.add(Block(by: "bob", of: "ann"))
    let joined = await fixture.change(den, .join(userID: "bob", visibleFrom: 20))
    #expect(joined.changes?.members == [["joined bob 5"]])
    #expect(try await !fixture.member("bob", of: den).blocksInviter)
  }

  @Test(
    "a group has the blocks of its members while it has two of them", arguments: LogKind.allCases)
  func groupsOfTwo(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let state = try #require(await fixture.create(inviting: ["bob"]).state)
    let den = state.place
    #expect(state.channel.group?.blockerIDs == [])
    for block in [Block(by: "bob", of: "ann"), Block(by: "ann", of: "cy")] {
      try await fixture.add(block)
    }
    #expect(await fixture.state("den")?.channel.group?.blockerIDs == ["bob"])
    let larger = await fixture.change(den, .join(userID: "cy", visibleFrom: 0))
    #expect(larger.changed?.group?.blockerIDs == [])
    let other = await fixture.change(den, .depart(["bob"], .left))
    #expect(other.changed?.group?.blockerIDs == ["ann"])
    try await fixture.add(Block(by: "cy", of: "ann"))
    #expect(await fixture.state("den")?.channel.group?.blockerIDs == ["ann", "cy"])
    try await fixture.remove(Block(by: "ann", of: "cy"))
    #expect(await fixture.perform(.takeOver(url: "den")).state?.channel.group?.blockerIDs == ["cy"])
  }

  /// A group of ann and bob, in which bob blocks ann.
  private func pair(_ fixture: LogFixture) async throws -> LogChannel {
    try await fixture.add(Block(by: "bob", of: "ann"))
    let den = try #require(await fixture.create(by: "bob", inviting: ["cy"]).state?.place)
    _ = await fixture.change(den, .depart(["cy"], .left))
    _ = await fixture.change(den, .join(userID: "ann", visibleFrom: 0))
    return den
  }

  private func post(
    _ fixture: LogFixture, _ id: Int64, by userID: String = "ann", blockerID: String? = "bob",
    marksAsRead: Bool = true, to den: LogChannel
  ) async {
    var message = fixture.counted(id, by: userID)
    (message.blockerID, message.marksAsRead) = (blockerID, marksAsRead)
    let result = await fixture.perform(.write(.append(message), den))
    #expect(result.appendedSeq != nil, "\(result)")
  }

  private func unread(_ fixture: LogFixture) async throws -> [String: Int64] {
    let state = try #require(await fixture.state("den"))
    let members = Members(
      state.members, lastOrdinal: state.lastOrdinal, uncounted: state.uncounted,
      floor: state.floorOrdinal)
    let joined = state.members.filter { $0.state == .joined }
    return Dictionary(
      joined.map { ($0.user.id, members.unreadCount(of: $0, last: state.lastOrdinal)) }
    ) { first, _ in first }
  }

  @Test(
    "a message of a blocked member has its ordinal and is unread for no member",
    arguments: LogKind.allCases)
  func messages(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await pair(fixture)
    await post(fixture, 1, blockerID: nil, to: den)
    await post(fixture, 2, to: den)
    await post(fixture, 3, marksAsRead: false, to: den)
    await post(fixture, 4, blockerID: nil, to: den)
    #expect(try await unread(fixture) == ["ann": 0, "bob": 2])
    let stored = await fixture.read(.message(2, channelID: den.id))?.message?.message
    #expect(stored?.ordinal == 2 && stored?.isSilent == false)
    // The author's own messages are unread for it neither with a lower position.
    _ = await fixture.changeOwn(.markUnread(from: 1), of: "ann", in: den)
    await post(fixture, 5, by: "bob", blockerID: nil, to: den)
    #expect(try await unread(fixture) == ["ann": 1, "bob": 0])
    _ = await fixture.changeOwn(.markUnread(from: 2), of: "bob", in: den)
    #expect(try await unread(fixture) == ["ann": 1, "bob": 1])
    await fixture.delete(3, in: den)
    #expect(try await unread(fixture) == ["ann": 1, "bob": 1])
    await fixture.delete(4, in: den)
    #expect(try await unread(fixture) == ["ann": 1, "bob": 0])
    let read = await fixture.changeOwn(.markRead(upTo: 3), of: "ann", in: den).own
    #expect(read?.position.ordinal == 3)
  }

  @Test("a message of a blocked member does not show a hidden group", arguments: LogKind.allCases)
  func hiding(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await pair(fixture)
    await post(fixture, 1, blockerID: nil, to: den)
    _ = await fixture.changeOwn(.hide(clearing: false, isArchived: false), of: "bob", in: den)
    for id in Int64(2)...3 { await post(fixture, id, to: den) }
    var hiding = try await fixture.member("bob", of: den).hiding
    #expect(hiding == .untilMessage(after: 3))
    // The group that was shown stays shown.
    await post(fixture, 4, blockerID: nil, to: den)
    await post(fixture, 5, to: den)
    hiding = try await fixture.member("bob", of: den).hiding
    #expect(!hiding.isInForce(lastOrdinal: 5))
  }

  @Test(
    "messages of a blocked member are counted in the transactions of many",
    arguments: LogKind.allCases)
  func together(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await pair(fixture)
    let entries = (Int64(1)...80).map { id in
      var message = fixture.counted(id, by: id % 4 == 0 ? "bob" : "ann")
      if id % 4 != 0 { message.blockerID = "bob" }
      return LogEntry.write(.append(message), den)
    }
    #expect(await fixture.perform(entries).allSatisfy { $0.appendedSeq != nil })
    _ = await fixture.changeOwn(.markUnread(from: 1), of: "bob", in: den)
    _ = await fixture.changeOwn(.markUnread(from: 1), of: "ann", in: den)
    #expect(try await unread(fixture) == ["ann": 20, "bob": 0])
  }
}

extension LogFixture {
  /// Makes a user block another one.
  func add(_ block: Block) async throws {
    if let store {
      try await store.perform(BlockAddition(by: block.blockerID, of: [block.blockedID]))
    } else {
      (log as? MemoryLog)?.change { $0.add(block) }
    }
  }

  func remove(_ block: Block) async throws {
    if let store {
      try await store.perform(BlockRemoval(by: block.blockerID, of: block.blockedID))
    } else {
      (log as? MemoryLog)?.change { $0.remove(block) }
    }
  }
}
