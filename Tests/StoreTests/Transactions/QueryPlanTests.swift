import Channels
import CSQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import SQLite
@testable import Store

@Suite("Query plans", .onOwnThreads)
struct QueryPlanTests {
  @Test("no frequent statement scans a whole table or sorts one")
  func usesIndexes() async throws {
    let fixture = try await Fixture()
    let plans = try await fixture.store.write { [lobby = fixture.lobby] transaction in
      let statements = try Self.trace(transaction, channelID: lobby.id)
      return try statements.flatMap { sql in
        try transaction.connection.all("EXPLAIN QUERY PLAN \(sql)", []) { row in
          "\(row[3] as String) in: \(sql)"
        }
      }
    }
    #expect(plans.count > 40)
    // At most a hundred operators are sorted, and users that are named one by one.
    for plan in plans
    where !plan.contains("channel_operators") && !plan.contains("users NOT INDEXED") {
      let isScan =
        plan.hasPrefix("SCAN") && !plan.hasPrefix("SCAN json_each")
        && !plan.hasPrefix("SCAN CONSTANT ROW")
      #expect(!isScan && !plan.hasPrefix("USE TEMP B-TREE"), "\(plan)")
    }
  }

  /// Does a little of everything and collects the statements.
  private static func trace(
    _ transaction: WriteTransaction, channelID: Int64
  ) throws -> Set<String> {
    var statements: Set<String> = []
    let session = try #require(transaction.connection.session as? SQLiteSession)
    try session.database.tracing({ statements.insert($0) }) {
      try send(transaction, channelID)
      try moderate(transaction, channelID)
      try list(transaction, channelID)
      try group(transaction)
      try keep(transaction)
      try delete(transaction)
    }
    // Triggers are announced by their names alone, and the index of search reads its own settings.
    return statements.filter { !$0.hasPrefix("--") && !$0.contains("search_config") }
  }

  private static func send(_ transaction: WriteTransaction, _ channelID: Int64) throws {
    _ = try transaction.upsertUser("dan", nickname: "Dan", at: 1)
    for id in Int64(1)...3 {
      _ = try transaction.append(
        NewMessage(
          channelID: channelID, id: id, userID: "dan", text: "m", mentionedUserIDs: ["ann"],
          requestID: "r\(id)", createdAt: id))
    }
    let file = FileRecord(id: String(repeating: "0", count: 32), name: "f", type: "", size: 1)
    try transaction.keepFile(
      file, shownAs: nil, of: "dan", inMessage: 3, channelID: channelID, at: 3)
    _ = try transaction.file(file.id)
    _ = try transaction.knownFiles([file.id])
    let changes = MessageChanges(text: "n")
    _ = try transaction.updateMessage(1, channelID: channelID, changes, at: 9)
    _ = try transaction.deleteMessage(2, channelID: channelID, at: 9)
    _ = try transaction.events(channelID: channelID, after: 0)
  }

  private static func moderate(_ transaction: WriteTransaction, _ channelID: Int64) throws {
    let restriction = Restriction(userID: "dan", startsAt: 1, endsAt: 99)
    _ = try transaction.ban(channelURL: "lobby", restriction)
    _ = try transaction.unban(channelURL: "lobby", userID: "dan", at: 5)
    _ = try transaction.mute(channelURL: "lobby", restriction)
    _ = try transaction.listRestrictions(.mute, channelID: channelID, at: 5)
    for kinds in [[RestrictionKind.ban], [.mute], [.ban, .mute]] {
      _ = try transaction.listRestrictions(
        kinds, ofUser: nil, inChannel: nil, at: 5, limit: 5
      ) { _ in PageItem(1, byteCount: 1) }
    }
    _ = try transaction.freezeChannel("lobby", at: 6)
  }

  private static func list(_ transaction: WriteTransaction, _ channelID: Int64) throws {
    let anchors: [MessageQuery.Anchor] = [.time(2), .message(1), .message(2)]
    for anchor in anchors {
      _ = try transaction.listMessages(
        MessageQuery(
          channelID: channelID, anchor: anchor, nextLimit: 5,
          filter: .init(type: .user, customTypes: [""], senderIDs: ["dan"])))
    }
    _ = try transaction.listMessages(
      MessageQuery(
        channelID: channelID, anchor: .time(2), nextLimit: 5, operatorFilter: .operators))
    _ = try transaction.listChannels(ChannelQuery())
    for query in [
      UserQuery(limit: 1), UserQuery(ids: ["ann"]), UserQuery(nickname: "Ann"),
      UserQuery(nicknamePrefix: "a"), UserQuery(nicknamePrefix: "a", limit: 1),
      UserQuery(activeMode: .activated), UserQuery(nicknamePrefix: "a", activeMode: .deactivated),
    ] {
      let next = try transaction.listUsers(query).next
      var following = query
      following.token = next
      _ = try transaction.listUsers(following)
    }
    _ = try transaction.listChannelLimits()
    _ = try transaction.maximumMessageID()
    for scope in [ExpiryQuery.Scope.all, .withOwnTime] {
      _ = try transaction.expiringChannels(
        ExpiryQuery(scope, by: RetentionRules(otherLifetime: 1), after: 0, at: 3))
    }
    _ = try transaction.expireMessages(MessageExpiry(of: .old(channelID, before: 2)))
  }

  private static func group(_ transaction: WriteTransaction) throws {
    let group = Channel(
      url: "den", createdAt: 1, group: Group(isDistinct: true, createdBy: User(id: "ann")))
    guard
      case .channel(let state) = try transaction.createGroup(
        group, epoch: "e", inviting: ["bob", "cy"])
    else { throw StoreError.exists }
    _ = try transaction.createGroup(group, epoch: "e", inviting: ["bob", "cy"])
    _ = try transaction.invite(["dan"], by: nil, to: "den", at: 5)
    _ = try transaction.depart(["bob", "dan"], from: "den", .left, at: 6)
    _ = try transaction.depart(["cy"], from: "den", .left, at: 6)
    _ = try transaction.join("cy", "den", visibleFrom: 0, at: 7)
    var message = NewMessage(channelID: state.id, id: 50, userID: "ann", text: "m", createdAt: 50)
      .unsequenced(in: "den")
    message.isCounted = true
    _ = try transaction.connection.session.makeAppender(for: transaction.connection)
      .append(message, to: state.place)
    let changes: [OwnChange] = [
      .markUnread(from: 50), .markRead(upTo: 50), .markUnread(from: 50), .markRead(upTo: nil),
      .hide(clearing: true, isArchived: false),
    ]
    for change in changes {
      _ = try transaction.changeOwn(
        change, of: "ann", channelID: state.id, visibleFrom: 0)
    }
    _ = try transaction.append(
      NewMessage(channelID: state.id, id: 51, userID: "ann", text: "m", createdAt: 51))
    _ = try transaction.changeOwn(
      .markUnread(from: 51), of: "ann", channelID: state.id, visibleFrom: 0)
    try transaction.deliver([Delivery(to: "ann", at: 51)], channelID: state.id)
    _ = try transaction.messagePlace(51, channelID: state.id)
    _ = try transaction.channel("den")
    for anchor in [MessageQuery.Anchor.time(60), .message(50)] {
      var query = MessageQuery(channelID: state.id, anchor: anchor, previousLimit: 0, nextLimit: 5)
      query.visibleFrom = 2
      _ = try transaction.listMessages(query)
    }
    for state in [nil, MemberState.joined] {
      let id = try transaction.existingChannel("den").id
      let page = try transaction.listMembers(channelID: id, state, limit: 1) {
        PageItem($0, byteCount: 1)
      }
      #expect(page.items.count == 1)
    }
    let reading = ReadTransaction(connection: transaction.connection)
    _ = try JoinedGroups(of: "ann").statements.run(reading)
    _ = try ChannelsToLeave(of: "ann").statements.run(reading)
    try block(transaction, reading)
    let lobby = try transaction.existingChannel("lobby").id
    let changedMessages = ChangedMessages(
      in: lobby, seenBy: "ann", ChangeList(.time(100_000_000_000), limit: 1), visibleFrom: 0,
      at: 100_000_000_000, as: Messages())
    _ = try changedMessages.statements.run(reading)
    try transaction.noteChange(ofMessage: 1, .deleted, createdAt: 1, channelID: lobby)
    try transaction.pruneChanges(ofMessagesIn: lobby, at: 5)
    _ = try UnreadNumbers(of: "ann", in: .all).statements.run(reading)
    _ = try UnreadNumbers(of: "ann", in: .urls(["den"])).statements.run(reading)
    _ = try FileRightLookup("f", by: "ann", in: ["lobby"], at: 5).statements.run(reading)
    _ = try UserChoicesChange(of: "ann", acceptsInvitations: true).statements.run(transaction)
    _ = try UserChoicesLookup(of: "ann").statements.run(reading)
    _ = try DepartureExpiry(at: 9).statements.run(transaction)
    #expect(try transaction.removeMentions(of: "ann", limit: 1))
    #expect(try EmptyGroups(since: 9).statements.run(reading) == [])
  }

  private struct Messages: PageEncoder {
    func encode(_ listed: ListedMessage) -> PageItem<Int64> {
      PageItem(listed.message.id, byteCount: 1)
    }
  }

  private struct Ids: PageEncoder {
    func encode(_ account: Account) -> PageItem<String> { PageItem(account.user.id, byteCount: 1) }
  }

  private static func block(
    _ transaction: WriteTransaction, _ reading: ReadTransaction
  ) throws {
    try BlockAddition(by: "ann", of: ["bob"]).statements.run(transaction)
    for direction in BlockDirection.allCases {
      _ = try BlockListing(of: "ann", direction, limit: 1, as: Ids()).statements.run(reading)
    }
    _ = try BlockersLookup(of: "bob", among: ["ann"]).statements.run(reading)
    _ = try GroupsOfTwo(of: "ann", andOneOf: ["bob"]).statements.run(reading)
    let channelID = try transaction.existingChannel("den").id
    _ = try transaction.joinedBlockers(of: "bob", channelID: channelID)
    _ = try transaction.blockerIDs(ofGroupOfTwo: channelID)
    _ = try transaction.blocked(by: "ann", among: ["bob"])
    try BlockRemoval(by: "ann", of: "bob").statements.run(transaction)
    _ = try transaction.removeBlocks(byAndOf: "ann", limit: 5)
  }

  private static func keep(_ transaction: WriteTransaction) throws {
    try transaction.noteSeen("ann", at: 100_000)
    try transaction.addSessionToken([1], userID: "ann", expiresAt: 9, at: 1)
    _ = try transaction.issuedToken(hash: [1], at: 1)
    try transaction.removeSessionTokens("ann")
    try transaction.addAPIToken(APIToken(name: "shop", hash: [1], createdAt: 1))
    try transaction.noteAPITokenUsed(hash: [1], at: 100_000)
    try transaction.revokeAPIToken(hash: [1])
    for owner in [MetadataOwner.user("ann"), .channel("lobby", .open)] {
      _ = try transaction.insertMetadata(["a": "1"], of: owner)
      try transaction.removeAllMetadata(of: owner)
    }
    _ = try transaction.insertMetacounters(["a": 1], ofChannel: "lobby", .open)
    try transaction.removeMetacounter("a", ofChannel: "lobby", .open)
    try transaction.removeAllMetacounters(ofChannel: "lobby", .open)
  }

  private static func delete(_ transaction: WriteTransaction) throws {
    _ = try transaction.addOperators("lobby", ["bob"], at: 7)
    _ = try transaction.removeOperators("lobby", ["bob"], at: 7)
    _ = try transaction.deleteUser("bob")
    _ = try transaction.createChannel(Channel(url: "doomed", createdAt: 1), epoch: "e")
    _ = try transaction.deleteChannel("doomed", at: 7)
  }
}

extension Database {
  /// Calls `note` with each statement that `body` executes, its values written into it.
  func tracing(_ note: @escaping (String) -> Void, _ body: () throws -> Void) rethrows {
    let box = Unmanaged.passRetained(Note(note))
    defer {
      sqlite3_trace_v2(handle, 0, nil, nil)
      box.release()
    }
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let text = sqlite3_expanded_sql(OpaquePointer(statement)) else {
          return 0
        }
        Unmanaged<Note>.fromOpaque(context).takeUnretainedValue().note(String(cString: text))
        sqlite3_free(text)
        return 0
      }, box.toOpaque())
    try body()
  }

  private final class Note {
    let note: (String) -> Void

    init(_ note: @escaping (String) -> Void) {
      self.note = note
    }
  }
}
