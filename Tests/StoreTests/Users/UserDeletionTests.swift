import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Deleting users", .onEachDatabase, .onOwnThreads)
struct UserDeletionTests {
  @Test("its messages stay with only its ID, and mentions of it are removed")
  func keepsMessages() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1))
    var mention = fixture.message(2, by: "bob")
    mention.mentionedUserIDs = ["ann", "cy"]
    try await fixture.store.append(mention)
    let deletion = try await fixture.store.write { try $0.deleteUser("ann") }
    #expect(deletion == .finished(UserTraces(unbannedFrom: [], unmutedIn: [])))
    let (user, messages) = try await fixture.store.read { transaction in
      (
        try transaction.user("ann"),
        try transaction.listMessages(MessageQuery(channelID: id, anchor: .time(.max)))
      )
    }
    #expect(user == nil)
    #expect(messages.map(\.user) == [User(id: "ann"), User(id: "bob", nickname: "Bob")])
    #expect(messages.last?.mentionedUsers.map(\.id) == ["cy"])
    await #expect(throws: StoreError.noUser("ann")) {
      try await fixture.store.write { try $0.deleteUser("ann") }
    }
  }

  @Test("it loses its bans, mutes and tokens, and is deleted once it operates no channel")
  func removesTraces() async throws {
    let fixture = try await Fixture()
    let (traces, change, rest) = try await fixture.store.write { transaction in
      _ = try transaction.addOperators("lobby", ["bob", "ann"], at: 5)
      let restriction = Restriction(userID: "ann", startsAt: 1, endsAt: 99)
      _ = try transaction.ban(channelURL: "lobby", restriction)
      _ = try transaction.mute(channelURL: "lobby", restriction)
      try transaction.setAccessTokenHash([1], userID: "ann")
      try transaction.addSessionToken([2], userID: "ann", expiresAt: 99, at: 5)
      let deletion = try transaction.deleteUser("ann")
      #expect(deletion == .unfinished(deletion.traces))
      let change = try transaction.removeOperators("lobby", ["ann"], at: 9)
      return (deletion.traces, change, try transaction.deleteUser("ann"))
    }
    #expect(rest == .finished(UserTraces(unbannedFrom: [], unmutedIn: [])))
    #expect(traces.unbannedFrom == ["lobby"])
    #expect(traces.unmutedIn == ["lobby"])
    #expect(change.channel.operators.map(\.id) == ["bob"])
    #expect(
      try change.event?.event() == .operatorsChanged(.init([User(id: "bob", nickname: "Bob")])))
    let (channel, tokens) = try await fixture.store.read { transaction in
      (
        try transaction.channel("lobby"),
        try [1, 2].map { try transaction.issuedToken(hash: [$0], at: 5) }
      )
    }
    #expect(channel?.channel.operators.map(\.id) == ["bob"])
    #expect(channel?.bans == [:])
    #expect(channel?.mutes == [:])
    #expect(channel?.lastSeq == change.event?.seq)
    #expect(tokens == [nil, nil])
  }

  @Test("a member of groups is deleted once it has left them", arguments: [true, false])
  func leavesGroups(accepts: Bool) async throws {
    let fixture = try await Fixture()
    try await fixture.store.perform(
      UserChoicesChange(of: "ann", acceptsInvitations: accepts))
    try await fixture.store.write { transaction in
      for url in ["den", "hut"] {
        let group = Channel(
          url: url, operators: url == "den" ? [User(id: "ann")] : [], createdAt: 1,
          group: Group(createdBy: User(id: "bob")))
        _ = try transaction.createGroup(group, epoch: "e", inviting: ["ann", "cy"])
      }
      _ = try transaction.addOperators("lobby", ["ann"], at: 2)
    }
    let urls = try await fixture.store.perform(ChannelsToLeave(of: "ann"))
    #expect(urls.sorted() == ["den", "hut", "lobby"])
    let steps = try await fixture.store.write { transaction in
      var steps = [try transaction.deleteUser("ann")]
      for url in ["den", "lobby"] { _ = try transaction.removeOperators(url, ["ann"], at: 5) }
      steps.append(try transaction.deleteUser("ann"))
      for url in urls { _ = try transaction.depart(["ann"], from: url, .deletedUser, at: 5) }
      return steps + [try transaction.deleteUser("ann")]
    }
    let traces = UserTraces(unbannedFrom: [], unmutedIn: [])
    #expect(steps == [.unfinished(traces), .unfinished(traces), .finished(traces)])
    let state = try await fixture.store.read { try $0.channel("hut") }
    #expect(state?.members.map(\.user.id) == ["bob", "cy"])
    #expect(state?.channel.group?.memberCount == 2)
    #expect(try await fixture.store.perform(ChannelsToLeave(of: "ann")) == [])
  }

  @Test("a group outlives its creator, whom it no longer shows")
  func creator() async throws {
    let fixture = try await Fixture()
    let created = try await fixture.store.write { transaction in
      let group = Channel(url: "den", createdAt: 1, group: Group(createdBy: User(id: "ann")))
      _ = try transaction.createGroup(group, epoch: "e", inviting: ["cy"])
      _ = try transaction.depart(["ann"], from: "den", .deletedUser, at: 5)
      let former = try transaction.existingChannel("den").channel.group?.createdBy
      _ = try transaction.deleteUser("ann")
      return former
    }
    #expect(created == User(id: "ann", nickname: "Ann"))
    let state = try await fixture.store.read { try $0.channel("den") }
    #expect(state?.channel.group == Group(memberCount: 1, joinedCount: 1))
  }

  @Test("a user of many channels is deleted in small steps")
  func takesSteps() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      for number in 0..<250 {
        let url = "channel-\(number)"
        _ = try transaction.createChannel(
          Channel(url: url, operators: [User(id: "ann")], createdAt: 1), epoch: "e")
        if number < 120 {
          _ = try transaction.mute(
            channelURL: url, Restriction(userID: "ann", startsAt: 1, endsAt: 99))
        }
      }
    }
    var counts: [[Int]] = []
    while true {
      let operated = try await fixture.store.read {
        try ChannelsToLeave(of: "ann").statements.run($0)
      }
      let deletion = try await fixture.store.write { transaction in
        for url in operated { _ = try transaction.removeOperators(url, ["ann"], at: 9) }
        return try transaction.deleteUser("ann")
      }
      counts.append([operated.count, deletion.traces.unmutedIn.count])
      guard case .unfinished = deletion else { break }
      #expect(try await fixture.store.read { try $0.user("ann") } != nil)
    }
    #expect(counts == [[100, 100], [100, 20], [50, 0]])
    #expect(try await fixture.store.read { try $0.user("ann") } == nil)
  }
}
