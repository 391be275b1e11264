import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Round trips of lists from PostgreSQL", .serialized, .onOwnThreads)
struct RoundTripTests {
  private let store: Store
  private let lobbyID: Int64

  /// 150 users, 100 of whom are banned; 150 channels with an operator each; 150 messages in the first.
  init() async throws {
    store = try Store(.postgreSQL(url: try PostgreSQLDatabase.make()))
    lobbyID = try await store.write { transaction in
      for number in 100..<250 {
        _ = try transaction.upsertUser("user\(number)", nickname: "n\(number)", at: Int64(number))
      }
      var ids: [Int64] = []
      for number in Int64(100)..<250 {
        let channel = Channel(
          url: "room\(number)", operators: [User(id: "user\(number)")], createdAt: number)
        ids.append(try transaction.createChannel(channel, epoch: "e").id)
      }
      for number in Int64(100)..<200 {
        _ = try transaction.impose(
          .ban, Restriction(userID: "user\(number)", startsAt: 1, endsAt: .max),
          channelID: ids[0])
      }
      for number in Int64(100)..<250 {
        try transaction.append(
          NewMessage(
            channelID: ids[0], id: number, userID: "user\(number)", text: "t",
            mentionedUserIDs: ["user\(349 - number)"], createdAt: number))
      }
      return ids[0]
    }
  }

  /// Runs a list, and counts what it takes.
  private func count<T: Sendable>(
    _ list: @escaping @Sendable (ReadTransaction) throws -> [T]
  ) async throws -> (items: [T], roundTrips: Int) {
    try await store.read { transaction in
      let session = try #require(transaction.connection.session as? PostgreSQLSession)
      let before = session.roundTripCount
      return (try list(transaction), session.roundTripCount - before)
    }
  }

  @Test("a page of messages with their users takes few round trips, whatever its length")
  func messages() async throws {
    let query = MessageQuery(channelID: lobbyID, anchor: .time(.max), previousLimit: 100)
    let (messages, roundTrips) = try await count { try $0.listMessages(query) }
    #expect(messages.map(\.id) == Array(150..<250))
    #expect(messages.allSatisfy { $0.user?.nickname == "n\($0.id)" })
    #expect(messages.allSatisfy { $0.mentionedUsers.map(\.nickname) == ["n\(349 - $0.id)"] })
    #expect(roundTrips <= 9, "\(roundTrips)")
  }

  @Test("a single requested message takes no more round trips than before")
  func oneMessage() async throws {
    let query = MessageQuery(channelID: lobbyID, anchor: .message(120), previousLimit: 0)
    let (messages, roundTrips) = try await count { try $0.listMessages(query) }
    #expect(messages.map(\.id) == [120])
    #expect(roundTrips <= 7, "\(roundTrips)")
  }

  @Test("a page of channels with operators, of users or of banned users takes few round trips")
  func others() async throws {
    let channels = try await count { try $0.listChannels(ChannelQuery(limit: 100)).channels }
    #expect(channels.items.map(\.url) == (150..<250).reversed().map { "room\($0)" })
    #expect(channels.items.allSatisfy { $0.operators.count == 1 })
    #expect(channels.items.first?.operators.first?.nickname == "n249")
    let users = try await count { try $0.listUsers(UserQuery(limit: 100)).users }
    #expect(users.items.map(\.user.id) == (150..<250).reversed().map { "user\($0)" })
    let banned = try await count { [lobbyID] in
      try $0.listRestrictions(.ban, channelID: lobbyID, at: 5, limit: 100).restrictions
    }
    #expect(banned.items.map(\.user.nickname) == (100..<200).map { "n\($0)" })
    for roundTrips in [channels.roundTrips, users.roundTrips, banned.roundTrips] {
      #expect(roundTrips <= 7, "\(roundTrips)")
    }
  }

  @Test("a channel without members takes no round trip for them")
  func channel() async throws {
    let (states, roundTrips) = try await count { [try $0.channel("room100")].compactMap(\.self) }
    #expect(states[0].bans.count == 100 && states[0].members.isEmpty)
    #expect(roundTrips == 4, "\(roundTrips)")
  }

  /// Runs statements that may take a number of round trips.
  private static func counting<T>(
    _ transaction: WriteTransaction, upTo limit: Int, _ body: () throws -> T
  ) throws -> T {
    let session = try #require(transaction.connection.session as? PostgreSQLSession)
    let before = session.roundTripCount
    let result = try body()
    let count = session.roundTripCount - before
    #expect(count <= limit, "\(count)")
    return result
  }

  @Test("a group of a hundred members is created, read, listed and left in few round trips")
  func groups() async throws {
    let ids = (100..<200).map { "user\($0)" }
    let id = try await store.write { transaction in
      let group = Channel(
        url: "den", createdAt: 5, group: Group(isDistinct: true, createdBy: User(id: ids[0])))
      let outcome = try Self.counting(transaction, upTo: 26) {
        try transaction.createGroup(group, epoch: "e", inviting: ids)
      }
      guard case .channel(let state) = outcome else { throw StoreError.exists }
      #expect(state.members.count == 100 && state.lastSeq == 99)
      let left = try Self.counting(transaction, upTo: 13) {
        try transaction.depart(Array(ids.dropFirst()), from: "den", .removed, at: 9)
      }
      #expect(left.map(\.seq) == Array(100...198))
      let invited = try Self.counting(transaction, upTo: 13) {
        try transaction.invite(ids, by: nil, to: "den", at: 12)
      }
      #expect(invited.map(\.seq) == Array(199...297))
      return state.id
    }
    let listed = try await count {
      try $0.listMembers(channelID: id, limit: 100) { PageItem($0.member, byteCount: 1) }.items
    }
    #expect(listed.items.map(\.user.id) == ids && listed.roundTrips <= 7, "\(listed.roundTrips)")
    let (states, roundTrips) = try await count { [try $0.channel("den")].compactMap(\.self) }
    #expect(states[0].members == listed.items)
    #expect(roundTrips <= 7, "\(roundTrips)")
    let events = try await store.read { try $0.events(channelID: id, after: 0) }
    #expect(events?.map(\.seq) == Array(1...297))
  }

  @Test("messages that do not match are skipped, and no unwanted item is read")
  func filtered() async throws {
    let query = MessageQuery(
      channelID: lobbyID, anchor: .time(.max), previousLimit: 3,
      filter: .init(senderIDs: ["user110", "user120", "user130", "user140"]))
    let (messages, roundTrips) = try await count { try $0.listMessages(query) }
    #expect(messages.map(\.id) == [120, 130, 140])
    #expect(roundTrips <= 7, "\(roundTrips)")
  }
}
