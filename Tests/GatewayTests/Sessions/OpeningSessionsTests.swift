import Configuration
import Crypto
import ParleyProtocol
import Channels
import TestPeers
import TestSupport
import Testing
import Transport
import HTTP

@testable import Gateway
@testable import Store

@Suite("A session that is being opened", .onOwnThreads)
struct OpeningSessionsTests {
  private let driven: DrivenShard
  private let session: DrivenSession

  init() throws {
    driven = try DrivenShard { $0.auth.mode = .token }
    session = try driven.connect()
    try driven.write {
      _ = try $0.createUser("ann", at: 1)
      try $0.setAccessTokenHash(TokenDigest(of: "access").bytes, userID: "ann")
      try $0.addSessionToken(
        TokenDigest(of: "session").bytes, userID: "ann", expiresAt: .max, at: 1)
    }
  }

  /// Asks for a session, and has the look-up of the user wait for `release`.
  private func begin(_ token: String) -> HeldStore {
    let held = HeldStore(reading: driven.shard.services.store)
    request(#""session.open","params":{"user_id":"ann","access_token":"\#(token)","groups":false}"#)
    driven.endTurn()
    return held
  }

  private func request(_ call: String) {
    let text = #"{"jsonrpc":"2.0","id":1,"method":\#(call)}"#
    session.session.connection(
      session.session.connection, received: .text(Array(text.utf8)))
  }

  private func receive(until isDone: ([WebSocketEvent]) -> Bool) throws -> [WebSocketEvent] {
    var events: [WebSocketEvent] = []
    try Deadline.standard.wait(for: "the client to be told") {
      driven.endTurn()
      events += session.receive()
      return isDone(events)
    }
    return events
  }

  private func isClosed(_ events: [WebSocketEvent]) -> Bool {
    guard case .closed(code: .unauthorized, _)? = events.last else { return false }
    return true
  }

  private func text(of event: WebSocketEvent?) -> String {
    guard case .text(let bytes)? = event else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("opens if nothing intervenes")
  func opens() throws {
    begin("access").release()
    let events = try receive { !$0.isEmpty }
    #expect(text(of: events.first).contains("session_id"))
    #expect(driven.shard.users.isOnline("ann"))
  }

  @Test(
    "is closed with 4002 if its user is removed in the meantime", arguments: ["access", "session"])
  func expelled(token: String) throws {
    let held = begin(token)
    driven.shard.users.expel("ann", reason: "the user is deactivated")
    driven.endTurn()
    held.release()
    #expect(isClosed(try receive(until: isClosed)))
    driven.endTurn()
    #expect(!driven.shard.users.isOnline("ann"))
  }

  @Test("is refused with 400302 if its kind of token is revoked in the meantime")
  func revoked() throws {
    let held = begin("access")
    driven.shard.users.revoke(.accessToken, of: "ann", reason: "the access token was replaced")
    driven.endTurn()
    held.release()
    let events = try receive(until: isClosed)
    #expect(text(of: events.first).contains("400302"))
    #expect(!driven.shard.users.isOnline("ann"))
  }

  @Test("is unaffected if another kind of token is revoked in the meantime")
  func otherRevoked() throws {
    let held = begin("session")
    driven.shard.users.revoke(.accessToken, of: "ann", reason: "the access token was replaced")
    driven.endTurn()
    held.release()
    #expect(text(of: try receive { !$0.isEmpty }.first).contains("session_id"))
  }

  @Test("does not open with a token that is revoked during its lookup")
  func refreshing() throws {
    begin("session").release()
    _ = try receive { !$0.isEmpty }
    let held = HeldStore(reading: driven.shard.services.store)
    request(#""session.refresh","params":{"access_token":"access"}"#)
    driven.endTurn()
    driven.shard.users.revoke(.accessToken, of: "ann", reason: "the access token was replaced")
    driven.endTurn()
    held.release()
    #expect(text(of: try receive { !$0.isEmpty }.first).contains("400302"))
    #expect(driven.shard.users.isOnline("ann"))
  }

  @Test("leaves nothing behind if its connection ends in the meantime")
  func abandoned() throws {
    let held = begin("access")
    session.session.close(.normalClosure, reason: "")
    driven.endTurn()
    held.release()
    try driven.read { _ in }
    driven.endTurn()
    #expect(!driven.shard.users.isOnline("ann"))
    #expect(driven.shard.users.isEmpty)
  }

  @Test(
    "does not recreate a user deleted meanwhile, or change one deactivated meanwhile",
    arguments: [true, false])
  func profile(isDeletion: Bool) throws {
    let store = driven.shard.services.store
    let held = try HeldStore(writing: store)
    // Prompt as the profile is, or it would be passed by it.
    store.writePromptly {
      if isDeletion { _ = try $0.deleteUser("ann") } else { try $0.deactivateUser("ann") }
    } completion: { _ in
    }
    request(
      #""session.open","params":{"user_id":"ann","access_token":"access","nickname":"Ann","groups":false}"#
    )
    // The profile waits behind the deletion, so the user had been found when it was asked for.
    try Deadline.standard.wait(for: "the profile to be written") {
      driven.endTurn()
      return store.statistics.queueLength >= 2
    }
    held.release()
    let events = try receive(until: isClosed)
    #expect(text(of: events.first).contains(isDeletion ? "400302" : "400300"))
    let account = try driven.read { try $0.account("ann") }
    #expect(account?.user.nickname == (isDeletion ? nil : ""))
  }
}
