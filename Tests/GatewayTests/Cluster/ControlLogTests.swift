import Channels
import Configuration
import Crypto
import FloodControl
import Glibc
import HTTP
import ParleyProtocol
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import Transport

/// Changes that concern all servers, each of which is announced in the store.
@Suite("Changes that apply to all servers", .serialized, .onOwnThreads)
struct ControlLogTests {
  /// One for all tests, each of which has a database of its own.
  private static let database: Result<PostgreSQLServer, any Error> = Result {
    let server = try PostgreSQLServer()
    atexit { try? ControlLogTests.database.get().remove() }
    return server
  }
  private static let lastDatabase = Atomic(0)

  private let databaseURL: String
  private let servers: DrivenServers
  private let limits = #"{"flood":{"messages":7,"window_ms":1000}}"#

  init() throws {
    let number = Self.lastDatabase.add(1, ordering: .relaxed).newValue
    let server = try Self.database.get()
    _ = try PostgreSQLConnection(server.url).execute("CREATE DATABASE control_\(number)")
    databaseURL = server.url.replacing("/parley?", with: "/control_\(number)?")
    servers = try DrivenServers(count: 3, databaseURL: databaseURL) { $0.auth.mode = .token }
  }

  // MARK: Means

  private func call(
    _ endpoint: PlatformEndpoint, _ user: String? = nil, _ body: String = "", on server: Int
  ) throws -> CallOutcome {
    let path = user.map { PathArguments(["user_id": $0]) } ?? PathArguments()
    return try servers.platform(endpoint, path, "", body, on: server)
  }

  /// Makes a user, and issues a session token.
  private func token(of user: String, on server: Int = 0) throws -> String {
    _ = try call(UserEndpoints.create, nil, #"{"user_id":"\#(user)","nickname":"U"}"#, on: server)
    let issued = try call(SessionTokenEndpoints.issue, user, "{}", on: server)
    return String(try #require(issued.text.firstMatch(of: /"token":"([^"]+)"/)?.1))
  }

  private func open(_ user: String, _ token: String, on server: Int) throws -> DrivenClient {
    let client = try servers.connect(user, on: server)
    let reply = try client.call(
      "session.open", #""user_id":"\#(user)","access_token":"\#(token)""#)
    #expect(reply.contains("session_id"), "\(reply)")
    return client
  }

  /// What a server does with each beat.
  private func beat(_ indices: Int...) {
    for index in indices { servers.servers[index].services.readAnnouncements() }
  }

  private func closes(_ clients: [DrivenClient]) throws {
    try servers.turns {
      clients.forEach { $0.receive() }
      return clients.allSatisfy { $0.closeCode == .unauthorized }
    }
  }

  private func stay(_ clients: [DrivenClient]) throws {
    beat(0, 1, 2)
    for _ in 0..<200 { servers.turn() }
    clients.forEach { $0.receive() }
    #expect(clients.allSatisfy { $0.closeCode == nil })
  }

  private func floods() -> [Int] { servers.servers.map { $0.services.limits.limit(.flood).count } }

  // MARK: Tests

  @Test(
    "a user's sessions on all servers are closed, with or without hints",
    arguments: ["deactivated", "deleted", "revoked"], [false, true])
  func evicts(cause: String, losesHints: Bool) throws {
    let user = servers.user(at: 2)
    let token = try token(of: user)
    let clients = try (0..<3).map { try open(user, token, on: $0) }
    let other = servers.user(at: 1, "other")
    let bystander = try open(other, try self.token(of: other), on: 1)
    servers.isLost = { _, _, _ in losesHints }
    switch cause {
    case "deactivated": _ = try? call(UserEndpoints.update, user, #"{"is_active":false}"#, on: 0)
    case "deleted": _ = try call(UserEndpoints.delete, user, on: 0)
    default: _ = try call(SessionTokenEndpoints.revoke, user, on: 0)
    }
    if losesHints { beat(1, 2) }
    try closes(clients)
    servers.isLost = { _, _, _ in false }
    try stay([bystander])
  }

  @Test("a replaced access token closes the sessions that it opened, and no others")
  func replacesTokens() throws {
    let user = servers.user(at: 1)
    let session = try token(of: user)
    func access() throws -> String {
      let answer = try call(UserEndpoints.update, user, #"{"issue_access_token":true}"#, on: 0)
      return String(try #require(answer.text.firstMatch(of: /"access_token":"([^"]+)"/)?.1))
    }
    let first = try access()
    let (byAccess, bySession) = (try open(user, first, on: 2), try open(user, session, on: 2))
    let second = try access()
    try closes([byAccess])
    let again = try open(user, second, on: 2)
    try stay([bySession, again])
  }

  @Test("a session opened after an announcement stays open on a server that reads it later")
  func keepsLaterSessions() throws {
    let user = servers.user(at: 1)
    let old = try open(user, try token(of: user), on: 2)
    servers.isLost = { message, _, _ in
      if case .shard(_, .notice) = message { true } else { false }
    }
    _ = try call(SessionTokenEndpoints.revoke, user, on: 0)
    _ = try call(UserEndpoints.update, user, #"{"is_active":false}"#, on: 0)
    _ = try call(UserEndpoints.update, user, #"{"is_active":true}"#, on: 0)
    let issued = try call(SessionTokenEndpoints.issue, user, "{}", on: 0)
    let token = String(try #require(issued.text.firstMatch(of: /"token":"([^"]+)"/)?.1))
    let new = try open(user, token, on: 2)
    beat(2)
    try closes([old])
    try stay([new])
  }

  @Test("limits and API tokens that one server changes apply on all")
  func sharesChanges() throws {
    _ = try call(LimitEndpoints.deployment.set, nil, limits, on: 0)
    let issued = try call(APITokenEndpoints.issue, nil, #"{"name":"second"}"#, on: 1)
    let token = try #require(issued.text.firstMatch(of: /"token":"([^"]+)"/)?.1)
    let id = try #require(issued.text.firstMatch(of: /"id":"([^"]+)"/)?.1)
    try servers.turns {
      floods() == [7, 7, 7]
        && servers.servers.allSatisfy { $0.services.apiTokens.recognize(String(token)) != nil }
    }
    _ = try servers.platform(
      APITokenEndpoints.revoke, PathArguments(["api_token_id": String(id)]), on: 2)
    try servers.turns {
      servers.servers.allSatisfy { $0.services.apiTokens.recognize(String(token)) == nil }
    }
  }

  @Test("a reset, a ring change and a heartbeat each recover lost announcements", arguments: 0..<3)
  func readsAgain(occasion: Int) throws {
    servers.isLost = { _, _, _ in true }
    _ = try call(LimitEndpoints.deployment.set, nil, limits, on: 0)
    for _ in 0..<200 { servers.turn() }
    #expect(floods()[1] != 7)
    servers.isLost = { _, _, _ in false }
    switch occasion {
    case 0: servers.reset(0, 1)
    case 1: servers.keep([0, 1])
    default: beat(1)
    }
    try servers.turns { floods()[1] == 7 }
  }

  @Test("a thousand concurrent changes end in the same state everywhere, with few reads")
  func coalesces() throws {
    let shard = servers.servers[0].shards[0]
    let users = (0..<20).map { servers.user(at: $0 % 3, "crowd\($0)") }
    let clients = try users.map { try open($0, try token(of: $0), on: 1) }
    for number in 0..<1_000 {
      let exchange = ExchangeAddress(
        shard: shard.handle.address, connection: 1, number: UInt64(100_000 + number))
      let body = #"{"flood":{"messages":\#(number + 1),"window_ms":1000}}"#
      let call = PlatformCall(
        shard: shard, address: exchange, caller: .init(of: "token"), about: nil,
        arguments: PathArguments(number < 20 ? ["user_id": users[number]] : [:]),
        query: try #require(QueryParameters("")), body: Array(body.utf8))
      if number < 20 {
        try SessionTokenEndpoints.revoke(call, call.completion)
      } else {
        try LimitEndpoints.deployment.set(call, call.completion)
      }
    }
    try closes(clients)
    try servers.turns { floods() == [1_000, 1_000, 1_000] }
  }

  @Test("a server that has missed rows reads everything again, and makes its clients reconnect")
  func startsAnew() throws {
    let user = servers.user(at: 1)
    let client = try open(user, try token(of: user), on: 2)
    servers.isLost = { _, _, _ in true }
    _ = try call(LimitEndpoints.deployment.set, nil, limits, on: 0)
    // The database goes on without the row that this server has read.
    beat(2)
    try servers.turns { floods()[2] == 7 }
    let connection = try PostgreSQLConnection(databaseURL)
    _ = try connection.execute("DELETE FROM announcements")
    _ = try connection.execute("UPDATE limits SET messages = 8 WHERE kind = 'flood'")
    beat(2)
    try servers.turns {
      client.receive()
      return client.closeCode == .goingAway && floods()[2] == 8
    }
  }
}
