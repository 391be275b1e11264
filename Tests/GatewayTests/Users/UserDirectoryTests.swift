import Channels
import Configuration
import ParleyProtocol
import TestSupport
import Testing
import Transport
import HTTP

@testable import Gateway
@testable import Store

@Suite("User directory", .onOwnThreads)
struct UserDirectoryTests {
  @Test("a session beyond the limit closes the user's oldest with 4003")
  func closesTheOldest() throws {
    let driven = try DrivenShard { $0.limits.connectionsPerUser = 2 }
    let sessions = try (0..<3).map { _ in try driven.connect() }
    let users = driven.shard.users
    for session in sessions { users.add(session.reference, of: "ann", openedAt: 0) }
    driven.endTurn()
    let reason = "the user has opened too many sessions: this was its oldest"
    #expect(sessions[0].receive() == [.closed(code: .tooManySessions, reason: reason)])
    #expect(sessions[1].receive().isEmpty && sessions[2].receive().isEmpty)
  }

  @Test("sessions of other users, and closed sessions, do not count")
  func countsPerUser() throws {
    let driven = try DrivenShard { $0.limits.connectionsPerUser = 1 }
    let sessions = try (0..<3).map { _ in try driven.connect() }
    let users = driven.shard.users
    users.add(sessions[0].reference, of: "ann", openedAt: 0)
    users.add(sessions[1].reference, of: "bob", openedAt: 0)
    users.remove(sessions[0].reference, of: "ann")
    users.add(sessions[2].reference, of: "ann", openedAt: 0)
    driven.endTurn()
    for session in sessions { #expect(session.receive().isEmpty) }
  }

  @Test("an event for a user is sent to all of the user's sessions")
  func sendsToAll() throws {
    let driven = try DrivenShard()
    let sessions = try (0..<3).map { _ in try driven.connect() }
    for session in sessions.prefix(2) {
      driven.shard.users.add(session.reference, of: "ann", openedAt: 0)
    }
    driven.shard.users.add(sessions[2].reference, of: "bob", openedAt: 0)
    driven.shard.users.send(Array("event".utf8), to: "ann")
    driven.shard.users.send(Array("nobody".utf8), to: "eve")
    driven.endTurn()
    #expect(sessions.map { $0.receiveTexts() } == [["event"], ["event"], []])
  }

  @Test("the sessions of users that hear groups are their seats, oldest first")
  func seats() throws {
    let driven = try DrivenShard { $0.limits.connectionsPerUser = 3 }
    let users = driven.shard.users
    users.add(.sample(1), of: "ann", openedAt: 0, hearsGroups: true)
    users.add(.sample(2), of: "ann", openedAt: 0, hearsGroups: false)
    users.add(.sample(3), of: "ann", openedAt: 0)
    users.add(.sample(4), of: "bob", openedAt: 0)
    users.expect(.sample(5), of: "bob")
    #expect(
      users.seats(of: ["bob", "eve", "ann"]) == [
        Seat(userID: "bob", session: .sample(4)), Seat(userID: "ann", session: .sample(1)),
        Seat(userID: "ann", session: .sample(3)),
      ])
    #expect(users.seats(of: []).isEmpty)
    users.remove(.sample(3), of: "ann")
    #expect(users.seats(of: ["ann"]).map(\.session) == [.sample(1)])
  }

  @Test("a session without groups is forgotten with its end, as the oldest too")
  func forgetsSeats() throws {
    let driven = try DrivenShard { $0.limits.connectionsPerUser = 1 }
    let users = driven.shard.users
    users.add(.sample(1), of: "ann", openedAt: 0, hearsGroups: false)
    users.add(.sample(2), of: "ann", openedAt: 0)
    #expect(users.seats(of: ["ann"]).map(\.session) == [.sample(2)])
    users.add(.sample(1), of: "ann", openedAt: 0)
    #expect(users.seats(of: ["ann"]).map(\.session) == [.sample(1)])
    users.remove(.sample(1), of: "ann")
    users.add(.sample(2), of: "ann", openedAt: 0, hearsGroups: false)
    users.remove(.sample(2), of: "ann")
    users.add(.sample(2), of: "ann", openedAt: 0)
    #expect(users.seats(of: ["ann"]).map(\.session) == [.sample(2)])
  }

  @Test("sessions without groups receive events for a user all the same")
  func sendsWithoutGroups() throws {
    let driven = try DrivenShard()
    let session = try driven.connect()
    driven.shard.users.add(session.reference, of: "ann", openedAt: 0, hearsGroups: false)
    driven.shard.users.send(Array("event".utf8), to: "ann")
    driven.endTurn()
    #expect(session.receiveTexts() == ["event"])
  }

  @Test("a user may be in a limited number of channels, each counted once for all sessions")
  func limitsChannels() throws {
    let driven = try DrivenShard { $0.limits.channelsPerUser = 2 }
    let users = driven.shard.users
    let (first, second) = (SessionAddress.sample(1), SessionAddress.sample(2))
    #expect(users.reserve("a", for: first, of: "ann"))
    #expect(users.reserve("b", for: first, of: "ann"))
    #expect(users.reserve("a", for: second, of: "ann"))
    #expect(!users.reserve("c", for: second, of: "ann"))
    #expect(users.reserve("c", for: second, of: "bob"))
    users.release("a", of: first, of: "ann")
    #expect(!users.reserve("c", for: second, of: "ann"))
    users.release("a", of: second, of: "ann")
    #expect(users.reserve("c", for: second, of: "ann"))
  }

  @Test("a session that ends releases its channels")
  func releasesChannels() throws {
    let driven = try DrivenShard { $0.limits.channelsPerUser = 1 }
    let users = driven.shard.users
    let (first, second) = (SessionAddress.sample(1), SessionAddress.sample(2))
    users.add(first, of: "ann", openedAt: 0)
    users.add(second, of: "ann", openedAt: 0)
    #expect(users.reserve("a", for: first, of: "ann"))
    users.remove(first, of: "ann")
    #expect(users.reserve("b", for: second, of: "ann"))
  }

  @Test("a session closed as the oldest releases its channels immediately")
  func releasesChannelsOfTheOldest() throws {
    let driven = try DrivenShard {
      $0.limits.connectionsPerUser = 1
      $0.limits.channelsPerUser = 1
    }
    let users = driven.shard.users
    let (first, second) = (SessionAddress.sample(1), SessionAddress.sample(2))
    users.add(first, of: "ann", openedAt: 0)
    #expect(users.reserve("a", for: first, of: "ann"))
    // The end of the first session may never be reported.
    users.add(second, of: "ann", openedAt: 1)
    #expect(users.reserve("b", for: second, of: "ann"))
  }

  @Test("a session lost with its server leaves no channel reservation, even if it was closed")
  func removesClosedSessions() throws {
    let driven = try DrivenShard()
    let users = driven.shard.users
    #expect(users.reserve("a", for: .sample(1), of: "ann"))
    #expect(users.reserve("a", for: .sample(2), of: "ann"))
    users.removeSessions { $0 == .sample(1) }
    #expect(users.channels(of: "ann").contains("a"))
    users.removeSessions { $0 == .sample(2) }
    #expect(users.isEmpty)
  }

  @Test("the end of a user's last session is recorded as last seen")
  func notesSeen() throws {
    let driven = try DrivenShard()
    try driven.write { _ = try $0.createUser("ann", at: 1) }
    let (first, second) = (SessionAddress.sample(1), SessionAddress.sample(2))
    let users = driven.shard.users
    users.add(first, of: "ann", openedAt: 0)
    users.add(second, of: "ann", openedAt: 0)
    let before = driven.shard.services.clock.now
    users.remove(first, of: "ann")
    users.remove(second, of: "ann")
    #expect(users.isEmpty)
    users.noteAllSeen()
    try driven.write { _ in }
    let seen = try #require(try driven.read { try $0.account("ann") }).lastSeenAt
    #expect((before...driven.shard.services.clock.now).contains(seen))
  }

  @Test("users who are online when the shard stops are recorded as seen")
  func notesThoseHere() throws {
    let driven = try DrivenShard()
    try driven.write {
      _ = try $0.createUser("ann", at: 1)
      _ = try $0.createUser("bob", at: 1)
    }
    driven.shard.users.add(.sample(1), of: "ann", openedAt: 0)
    driven.shard.users.expect(.sample(2), of: "bob")
    driven.shard.users.noteAllSeen()
    try driven.write { _ in }
    let accounts = try driven.read { [try $0.account("ann"), try $0.account("bob")] }
    #expect(accounts[0]?.lastSeenAt ?? 0 > 0)
    #expect(accounts[1]?.lastSeenAt == 0)
  }
}
