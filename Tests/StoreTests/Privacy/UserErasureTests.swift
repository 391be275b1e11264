import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Erasing users", .onEachDatabase, .onOwnThreads)
struct UserErasureTests {
  /// Ann's and bob's messages in turn; those of bob mention ann.
  private func makeStore(_ count: Int64 = 10) async throws -> Fixture {
    let fixture = try await Fixture()
    for id in Int64(1)...count {
      var message = fixture.message(id, by: id % 2 == 0 ? "bob" : "ann", at: 1_000 + id)
      if id % 2 == 0 { message.mentionedUserIDs = ["ann", "cy"] }
      try await fixture.store.append(message)
    }
    return fixture
  }

  private func messages(of userID: String, _ fixture: Fixture, limit: Int) async throws -> [Int64] {
    var (found, position): ([Int64], ChannelPassPosition) = ([], ChannelPassPosition())
    for _ in 0..<100 {
      let page = try await fixture.store.perform(
        UserMessagesPage(of: userID, after: position, limit: limit), for: .server)
      found += page.messages.map(\.id)
      #expect(page.messages.allSatisfy { $0.channelURL == "lobby" && $0.kind == .open })
      if page.isLast { return found }
      position = try #require(ChannelPassPosition(page.position.text))
    }
    return found
  }

  @Test("the messages of a user are found channel by channel, in pages")
  func finding() async throws {
    let fixture = try await makeStore()
    #expect(try await messages(of: "ann", fixture, limit: 2) == [1, 3, 5, 7, 9])
    #expect(try await messages(of: "ann", fixture, limit: 100) == [1, 3, 5, 7, 9])
    #expect(try await messages(of: "cy", fixture, limit: 2) == [])
  }

  @Test("anonymized messages have another author, and no others change")
  func anonymizing() async throws {
    let fixture = try await makeStore()
    try await fixture.store.perform(
      MessageAnonymization(of: "ann", as: "erased-1", [1, 2, 3, 5, 7, 9]))
    #expect(try await messages(of: "ann", fixture, limit: 9) == [])
    #expect(try await messages(of: "erased-1", fixture, limit: 9) == [1, 3, 5, 7, 9])
    #expect(try await messages(of: "bob", fixture, limit: 9) == [2, 4, 6, 8, 10])
  }

  @Test("mentions go from messages of others, in steps, and other mentions stay")
  func mentions() async throws {
    let fixture = try await makeStore()
    var position: Int64 = 0
    for _ in 0..<20 {
      let outcome = try await fixture.store.perform(
        UserMentionErasure(of: "ann", after: position, limit: 3))
      guard let next = outcome.next else { break }
      position = next
    }
    let lobby = fixture.lobby.id
    let query = MessageQuery(channelID: lobby, anchor: .time(0), previousLimit: 0, nextLimit: 100)
    let listed = try await fixture.store.read { try $0.listMessages(query) }
    #expect(listed.count == 10)
    for message in listed where message.id % 2 == 0 {
      #expect(message.mentionedUsers.map(\.id) == ["cy"])
    }
    #expect(
      try await fixture.store.read {
        try $0.connection.first(
          "SELECT count(*) FROM messages WHERE \(.contains("mentioned_users"))", ["ann"]
        ) { $0[0] as Int }
      } == 0)
  }

  @Test("the archive of a user has its rows, page by page, and none of others")
  func archive() async throws {
    let fixture = try await makeStore()
    for part in UserArchivePart.allCases {
      let rows = try await fixture.store.perform(
        UserArchiveRows(of: "ann", part, after: 0), for: .server)
      #expect(rows.rowCount == (part == .account ? 1 : 0), "\(part)")
    }
    let account = try await fixture.store.perform(
      UserArchiveRows(of: "ann", .account, after: 0), for: .server)
    let line = String(decoding: account.bytes, as: UTF8.self)
    #expect(line.hasPrefix(#"{"type":"user","data":{"user_id":"ann","nickname":"Ann""#), "\(line)")
    #expect(line.hasSuffix("}}\n") && !line.contains("token"))
    let rest = try await fixture.store.perform(
      UserArchiveRows(of: "ann", .account, after: 1), for: .server)
    #expect(rest.rowCount == 0)
  }

  @Test("the profile of a user goes from events, whose other members stay")
  func events() async throws {
    let fixture = try await makeStore(1)
    let user = #"{"user_id":"ann","nickname":"Ann","profile_url":"http://a.example/p"}"#
    let other = #"{"user_id":"bob","nickname":"Ann","profile_url":""}"#
    let payload = #"{"user":\#(user),"users":[\#(other)],"count":2,"is_silent":false,"note":null}"#
    let lobby = fixture.lobby.id
    try await fixture.store.write { transaction in
      for seq in Int64(100)...104 {
        try transaction.connection.execute(
          "INSERT INTO events (channel_id, seq, kind, payload, ts) VALUES (?, ?, ?, ?, 1)",
          [lobby, seq, "group.joined", payload])
      }
    }
    var position = EventErasure.Position()
    for _ in 0..<9 {
      let next = try await fixture.store.perform(
        EventErasure(of: "ann", after: position, limit: 2))
      guard let next else { break }
      position = try #require(EventErasure.Position(next.text))
    }
    let erased = #"{"user_id":"ann","nickname":"","profile_url":""}"#
    let rest = try await fixture.store.read { transaction in
      try transaction.connection.all(
        "SELECT payload FROM events WHERE channel_id = ? AND seq >= 100", [lobby]
      ) { $0[0] as String }
    }
    #expect(rest.count == 5)
    #expect(rest.allSatisfy { $0 == payload.replacing(user, with: erased) }, "\(rest)")
  }

  @Test("the rest of what names a user goes")
  func remains() async throws {
    let fixture = try await makeStore()
    for fate in UserRemainsErasure.Messages.allCases {
      try await fixture.store.perform(UserRemainsErasure(of: "ann", messages: fate))
    }
    #expect(try await fixture.store.perform(GroupTraceErasure(of: "ann", after: 0)) == nil)
    let position = EventErasure.Position()
    #expect(try await fixture.store.perform(EventErasure(of: "ann", after: position)) == nil)
    #expect(try await fixture.store.perform(GroupsOfUser("ann", .pairs)) == [])
    #expect(try await fixture.store.perform(GroupsOfUser("ann", .all)) == [])
  }
}
