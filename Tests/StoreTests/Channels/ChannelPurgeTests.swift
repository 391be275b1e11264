import Channels
import SQLite
import ParleyProtocol
import Reactor
import TestSupport
import Testing

@testable import Store

@Suite("Data of a deleted channel", .onEachDatabase, .onOwnThreads)
struct ChannelPurgeTests {
  @Test("its messages are unreachable at once and removed later, and other channels keep theirs")
  func purges() async throws {
    let fixture = try await Fixture()
    let lobby = fixture.lobby.id
    let other = try await fixture.store.write {
      try $0.createChannel(Channel(url: "other", createdAt: 2), epoch: "e").id
    }
    try await fill(fixture, lobby, other)
    let gate = fixture.store.holdWriter()
    let deletion = fixture.store.pendingWrite { try $0.deleteChannel("lobby", at: 9) }
    let late = fixture.store.pendingAppend(fixture.message(99_999))
    gate.open()
    #expect(try deletion.get().event?.name == .channelDeleted)
    #expect(throws: LogError.missing(.channel)) { try late.get() }
    #expect(try await fixture.store.read { try $0.message(1, channelID: lobby) } == nil)
    try await Deadline.standard.wait(for: "the purge") {
      try await remaining(fixture) == [1, 0, 0]
    }
    #expect(try await fixture.store.read { try $0.maximumMessageID() } == 2_501)
    #expect(try await fixture.store.read { try $0.messageCount(channelID: other) } == 1)
  }

  @Test("data not removed before the store closed is removed after it is opened again")
  func goesOn() async throws {
    let fixture = try await Fixture()
    try await fill(fixture, fixture.lobby.id, fixture.lobby.id)
    fixture.store.write({ _ = try $0.deleteChannel("lobby", at: 9) }) { _ in }
    fixture.store.close()
    let store = try Store(fixture.place)
    try await Deadline.standard.wait(for: "the purge") {
      try await store.read {
        try $0.connection.first("SELECT count(*) FROM messages", []) { $0[0] as Int }
      } == 0
    }
    store.close()
  }

  @Test("events, and files of messages that were not kept, are removed step by step as well")
  func purgesInSteps() async throws {
    let fixture = try await Fixture()
    let steps = try await fixture.store.inMaintenance { connection in
      try connection.inTransaction {
        for number in Int64(1)...2_500 {
          try connection.execute(
            "INSERT INTO events (channel_id, seq, kind, ts) VALUES (99, ?, 'x', 1)", [number])
          try connection.execute(
            "INSERT INTO file_messages (message_id, file_id, channel_id) VALUES (?, ?, 99)",
            [number, "f\(number)"])
        }
        try connection.execute("INSERT INTO orphaned_channels (channel_id) VALUES (99)")
      }
      var steps: [[Int?]] = []
      while case .unfinished = try ChannelPurge.step(on: connection) {
        steps.append(
          try ["events", "file_messages", "orphaned_channels"].map { table in
            try connection.first("SELECT count(*) FROM \(table)", []) { $0[0] as Int }
          })
      }
      return steps
    }
    let expected = [[1_500, 2_500, 1], [500, 2_500, 1], [0, 1_500, 1], [0, 500, 1], [0, 0, 0]]
    #expect(steps == expected)
  }

  @Test("the members of a group leave step by step, and none of them is in the group at any time")
  func purgesMembers() async throws {
    let fixture = try await Fixture()
    let steps = try await fixture.store.inMaintenance { connection in
      let transaction = WriteTransaction(connection: connection)
      try connection.inTransaction {
        let den = Channel(url: "den", createdAt: 5, group: Group(createdBy: User(id: "ann")))
        _ = try transaction.createGroup(den, epoch: "e", inviting: ["bob"])
        for number in 1...2_498 {
          _ = try transaction.upsertUser("u\(number)", at: 1)
          try connection.execute(
            """
            INSERT INTO members (channel_id, user_id, state, added_at)
            SELECT channel_id, ?, 1, 5 FROM channels WHERE url = 'den'
            """, ["u\(number)"])
        }
      }
      let users = ["ann", "bob", "u1", "u777", "u2498"]
      let now = SystemClock.unixMilliseconds
      func listed() throws -> [[String]] {
        try users.map { userID in
          let changes = try transaction.groupChanges(
            ofUser: userID, ChangeList(.time(now - 60_000), limit: 100), at: now
          ) { PageItem($0.state.channel.url, byteCount: 1) }
          let joined = try JoinedGroups(of: userID).statements
            .run(ReadTransaction(connection: connection)).urls
          return changes.updated + joined + changes.departed.map { "-\($0)" }
        }
      }
      try connection.inTransaction { _ = try transaction.deleteChannel("den", at: 9) }
      var (steps, lists) = ([] as [[Int?]], [try listed()])
      while case .unfinished = try ChannelPurge.step(on: connection) {
        steps.append(
          try ["members", "departures", "orphaned_channels"].map { table in
            try connection.first("SELECT count(*) FROM \(table)", []) { $0[0] as Int }
          })
        lists.append(try listed())
      }
      #expect(lists.allSatisfy { $0 == Array(repeating: ["-den"], count: users.count) }, "\(lists)")
      return steps
    }
    #expect(steps == [[1_500, 1_000, 1], [500, 2_000, 1], [0, 2_500, 0]])
  }

  /// 2,500 messages and an event in one channel, a message in another.
  private func fill(_ fixture: Fixture, _ lobby: Int64, _ other: Int64) async throws {
    try await fixture.store.write { transaction in
      for id in Int64(1)...2_501 {
        _ = try transaction.append(
          NewMessage(
            channelID: id == 2_501 ? other : lobby, id: id, userID: "ann", text: "m",
            createdAt: id))
      }
      _ = try transaction.freezeChannel("lobby", at: 5)
    }
  }

  private func remaining(_ fixture: Fixture) async throws -> [Int?] {
    try await fixture.store.read { transaction in
      try ["messages", "events", "orphaned_channels"].map { table in
        try transaction.connection.first("SELECT count(*) FROM \(table)", []) { $0[0] as Int }
      }
    }
  }
}
