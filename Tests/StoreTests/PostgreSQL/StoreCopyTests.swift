import Channels
import ParleyProtocol
import Push
import TestSupport
import Testing

@testable import Store

@Suite("Copying a store from SQLite to PostgreSQL", .onOwnThreads)
struct StoreCopyTests {
  @Test("everything is copied, with the same numbers and epochs")
  func copies() async throws {
    let source = try await filled()
    source.store.close()
    let url = try PostgreSQLDatabase.make()
    let copy = StoreCopy(
      from: source.directory.path, to: url, at: 2_000, logger: LogRecorder().logger)
    let counts = try copy.run()
    #expect(counts["messages"] == 1_504)
    #expect(counts["members"] == 5 && counts["uncounted"] == 1)
    #expect(counts["mentions"] == 1 && counts["channel_mentions"] == 1)
    #expect(counts["users"] == 3 && counts["blocks"] == 1)
    #expect(counts["push_tokens"] == 1 && counts["push_jobs"] == 1 && counts["push_keys"] == 1)
    let (old, new) = (
      try Store(directory: source.directory.path), try Store(.postgreSQL(url: url))
    )
    for store in [old, new] {
      let state = try await store.read { try $0.channel("lobby") }
      #expect(state?.epoch == "first")
      #expect(state?.lastSeq == 1_503)
      #expect(state?.bans.keys.sorted() == ["bob"])
      #expect(state?.channel.operators.map(\.id) == ["cy"])
    }
    try await compareGroups(old, new)
    try await compareReading(old, new)
    try await comparePushes(old, new)
    let lobby = source.lobby.id
    for id in [Int64(1), 700, 1_500] {
      let messages = try await [
        old.read { try $0.message(id, channelID: lobby) },
        new.read { try $0.message(id, channelID: lobby) },
      ]
      #expect(messages[0] == messages[1])
    }
    #expect(
      try await new.read { try $0.events(channelID: lobby, after: 1_490)?.map(\.seq) }
        == old.read { try $0.events(channelID: lobby, after: 1_490)?.map(\.seq) })
    // What was repeatable is, and numbers go on where they ended.
    var again = source.message(9_000, requestID: "r1500", at: 2_000)
    again.text = "again"
    let repeated = try await new.append(again)
    guard case .repeated(let first, 1_500) = repeated else {
      Issue.record("unexpected: \(repeated)")
      return
    }
    #expect(first.id == 1_500)
    #expect(try await new.append(source.message(9_001)) == .stored(seq: 1_504, mentionedUsers: []))
    let made = try await new.write {
      try $0.createChannel(Channel(url: "later", createdAt: 5), epoch: "e").id
    }
    #expect(made == lobby + 4)
    old.close()
    new.close()
  }

  private func compareGroups(_ old: Store, _ new: Store) async throws {
    let dens = try await [old.read { try $0.channel("den") }, new.read { try $0.channel("den") }]
    let den = try #require(dens[0])
    #expect(den == dens[1])
    #expect(den.members.map(\.state) == [.joined, .joined, .invited])
    #expect(den.channel.group?.isDistinct == true && den.lastOrdinal == 1)
    for store in [old, new] {
      #expect(
        try await store.read { try $0.message(9_500, channelID: den.id)?.message.ordinal } == 1)
      #expect(try await store.perform(UserChoicesLookup(of: "cy")).acceptsInvitations == false)
      let again = try await store.write {
        try $0.createGroup(Self.group, epoch: "e", inviting: ["cy", "bob"])
      }
      guard case .found(let found) = again else {
        Issue.record("\(again)")
        continue
      }
      #expect(found.id == den.id)
      var next = NewMessage(
        channelID: den.id, id: 9_600, userID: "ann", text: "m", createdAt: 2_000
      ).unsequenced(in: "den")
      next.isCounted = true
      let message = next
      try await store.write { transaction in
        let appender = transaction.connection.session.makeAppender(for: transaction.connection)
        _ = try appender.append(message, to: den.place)
      }
      #expect(
        try await store.read { try $0.message(9_600, channelID: den.id)?.message.ordinal } == 2)
    }
  }

  /// Compares what members have read.
  private func compareReading(_ old: Store, _ new: Store) async throws {
    let huts = try await [old.read { try $0.channel("hut") }, new.read { try $0.channel("hut") }]
    let hut = try #require(huts[0])
    #expect(hut == huts[1])
    #expect(hut.channel.group?.blockerIDs == ["bob"])
    #expect(hut.floorOrdinal == 1 && hut.uncounted == OrdinalSet(ascending: [3]))
    #expect(
      hut.members.map(\.position) == [
        ReadPosition(ordinal: 5, readAt: 50),
        ReadPosition(ordinal: 1, readAt: 19, ownAfter: 2),
      ])
    #expect(hut.members.map(\.hiding) == [.unhidden, .untilMessage(after: 5)])
    #expect(hut.members.map(\.countPreference) == [.messagesOnly, .all])
    for store in [old, new] {
      let read = try await store.write {
        try $0.changeOwn(.markRead(upTo: 9_703), of: "bob", channelID: hut.id, visibleFrom: 0)
      }
      #expect(read.member.position == ReadPosition(ordinal: 3, readAt: 30, ownAfter: 1))
      #expect(read.mentionCount == 0)
    }
  }

  private func comparePushes(_ old: Store, _ new: Store) async throws {
    for store in [old, new] {
      let reading = PushJobReading(at: .max, in: .everything, limit: 9)
      let job = try #require(try await store.perform(reading, for: .server).jobs.first)
      #expect(job.channelURL == "den" && job.template?.title == "t" && job.dueAt == 6)
      let page = try await store.perform(PushAudience(of: job), for: .server)
      #expect(page.recipients.map(\.recipient.userID) == ["bob"])
      #expect(page.recipients.first?.recipient.channelTrigger == .mentionOnly)
      #expect(page.recipients.first?.recipient.preferences.trigger == .off)
      #expect(try await store.perform(PushKeyCreation(pem: "other")) == "pem")
      // Numbers go on where they ended.
      let call = try PushRegister(Fields(JSONDocument(#"{"type":"gcm","token":"n"}"#).root))
      try await store.perform(PushRegistration(call, of: "cy", at: 9))
      try await store.perform(PushProgress(finished: [], waiting: [job], at: 1, in: .everything))
      let ids = try await store.perform(reading, for: .server).jobs.map(\.id)
      #expect(ids == [job.id, job.id + 1])
    }
  }

  private static func fillPushes(_ transaction: WriteTransaction, denID: Int64) throws {
    let call = try PushRegister(Fields(JSONDocument(#"{"type":"gcm","token":"b"}"#).root))
    try PushRegistration(call, of: "bob", at: 5).statements.run(transaction)
    var change = PushPreferencesChange()
    change.trigger = .off
    _ = try PushPreferencesUpdate(change, of: "bob").statements.run(transaction)
    try transaction.connection.execute(
      "UPDATE members SET push_trigger = ? WHERE channel_id = ? AND user_id = 'bob'",
      [ChannelPushTriggerOption.mentionOnly.stored, denID])
    _ = try PushKeyCreation(pem: "pem").statements.run(transaction)
    try transaction.queue(
      PushJob(
        channelID: denID, channelURL: "den", messageID: 9_500, scope: .members(after: ""),
        createdAt: 5, dueAt: 6, template: PushMessageTemplate(title: "t")))
  }

  private static let group = Channel(
    url: "den", createdAt: 900, group: Group(isDistinct: true, createdBy: User(id: "ann")))

  @Test("a database that is not empty is refused")
  func refuses() async throws {
    let source = try await filled()
    source.store.close()
    let url = try PostgreSQLDatabase.make()
    let store = try Store(.postgreSQL(url: url))
    try await store.write { _ = try $0.upsertUser("eve", at: 1) }
    store.close()
    let copy = StoreCopy(
      from: source.directory.path, to: url, at: 2_000, logger: LogRecorder().logger)
    #expect(throws: StoreError.exists) { try copy.run() }
  }

  private func filled() async throws -> Fixture {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      // A channel that is gone keeps its number.
      _ = try transaction.createChannel(Channel(url: "doomed", createdAt: 1), epoch: "e")
      _ = try transaction.deleteChannel("doomed", at: 2)
      for id in Int64(1)...1_500 {
        _ = try transaction.append(
          fixture.message(id, "text \(id) äöü 😀", requestID: "r\(id)", at: 1_000))
      }
      _ = try transaction.addOperators("lobby", ["cy"], at: 5)
      _ = try transaction.ban(
        channelURL: "lobby", Restriction(userID: "bob", startsAt: 5, endsAt: .max))
      _ = try transaction.insertMetadata(["k": "v"], of: .channel("lobby", .open))
      _ = try transaction.insertMetacounters(["n": 3], ofChannel: "lobby", .open)
      try transaction.addSessionToken([1, 2], userID: "ann", expiresAt: 9_000, at: 1)
      _ = try transaction.freezeChannel("lobby", at: 7)
      _ = try UserChoicesChange(of: "cy", acceptsInvitations: false).statements.run(
        transaction)
      guard
        case .channel(let den) = try transaction.createGroup(
          Self.group, epoch: "e", inviting: ["bob", "cy"])
      else { throw StoreError.exists }
      var message = NewMessage(
        channelID: den.id, id: 9_500, userID: "ann", text: "m", createdAt: 1_000
      ).unsequenced(in: "den")
      message.isCounted = true
      message.mentionedUserIDs = ["bob"]
      _ = try transaction.connection.session.makeAppender(for: transaction.connection)
        .append(message, to: den.place)
      try Self.fillPushes(transaction, denID: den.id)
      try fillHut(transaction)
      try BlockAddition(by: "bob", of: ["ann"]).statements.run(transaction)
    }
    return fixture
  }

  /// A group with an expired, a deleted and other messages, and with what members have read.
  private func fillHut(_ transaction: WriteTransaction) throws {
    let group = Channel(url: "hut", createdAt: 900, group: Group(createdBy: User(id: "ann")))
    guard
      case .channel(let hut) = try transaction.createGroup(group, epoch: "e", inviting: ["bob"])
    else { throw StoreError.exists }
    let appender = transaction.connection.session.makeAppender(for: transaction.connection)
    for (number, author) in zip(Int64(1)..., ["ann", "bob", "ann", "bob", "ann"]) {
      var message = NewMessage(
        channelID: hut.id, id: 9_700 + number, userID: author, text: "m", createdAt: number * 10
      ).unsequenced(in: "hut")
      message.isCounted = true
      message.message.mentionType = author == "ann" ? .channel : .users
      _ = try appender.append(message, to: hut.place)
    }
    _ = try transaction.deleteMessage(9_703, channelID: hut.id, at: 60)
    _ = try transaction.expireMessages(MessageExpiry(of: .old(hut.id, before: 15)))
    let changes: [(OwnChange, String)] = [
      (.markUnread(from: 9_702), "bob"), (.hide(clearing: false, isArchived: false), "bob"),
      (.prefer(.messagesOnly), "ann"),
    ]
    for (change, userID) in changes {
      _ = try transaction.changeOwn(change, of: userID, channelID: hut.id, visibleFrom: 0)
    }
  }
}
