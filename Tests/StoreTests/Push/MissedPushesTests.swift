import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Pushes of messages that a lost connection has missed", .serialized, .onOwnThreads)
struct MissedPushesTests {
  private static let stores = PushFixture.stores

  /// The messages of the jobs for a user.
  private func missed(_ fixture: PushFixture, of userID: String) async throws -> [Int64] {
    try await fixture.jobs().jobs.filter { $0.scope == .user(userID) }.map(\.messageID)
  }

  @Test("the newest 20 unread messages of others have a job, oldest first", arguments: stores)
  func newest(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    try await fixture.register("b", of: "bob")
    let hut = try #require(await fixture.log.create("hut", inviting: ["bob"]).state?.place)
    for id in Int64(1)...30 {
      await fixture.append(fixture.message(id), to: id % 3 == 0 ? hut : nil)
    }
    _ = fixture.takeArrivals()
    let missed = MissedPushes(of: ["bob"], since: 0, at: 400)
    #expect(try await fixture.store.perform(missed) == 20)
    #expect(try await self.missed(fixture, of: "bob") == Array(11...30))
    let arrivals = fixture.takeArrivals()
    #expect(arrivals.count == 20 && arrivals.allSatisfy { $0.dueAt == 400 })
    let urls = try await fixture.jobs().jobs.suffix(2).map(\.channelURL)
    #expect(urls == ["den", "hut"])
  }

  @Test("read, old, own, silent and suppressed messages have none", arguments: stores)
  func others(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for userID in ["ann", "bob"] { try await fixture.register(userID, of: userID) }
    for id in Int64(1)...4 { await fixture.append(fixture.message(id)) }
    _ = await fixture.log.changeOwn(.markRead(upTo: 2), of: "bob", in: fixture.den)
    var suppressed = fixture.message(5)
    suppressed.pushes = nil
    var silent = fixture.message(6)
    (silent.isCounted, silent.isSilent) = (false, true)
    let template = PushMessageTemplate(title: "t")
    var admin = fixture.message(7, by: nil)
    admin.pushes = .shaped(template)
    var quiet = fixture.message(8, by: nil)
    quiet.pushes = nil
    for message in [suppressed, silent, admin, quiet] { await fixture.append(message) }
    #expect(try await fixture.store.perform(MissedPushes(of: ["bob"], since: 40, at: 90)) == 2)
    #expect(try await missed(fixture, of: "bob") == [4, 7])
    #expect(try await fixture.jobs().jobs.last?.template == template)
    #expect(try await fixture.store.perform(MissedPushes(of: ["bob"], since: 0, at: 90)) == 3)
    let early = MissedPushes(of: ["bob"], since: 0, until: 70, at: 90)
    #expect(try await fixture.store.perform(early) == 2)
    #expect(try await fixture.store.perform(MissedPushes(of: ["ann"], since: 0, at: 90)) == 1)
    let both = MissedPushes(of: ["ann", "cy", "bob"], since: 0, at: 90)
    #expect(try await fixture.store.perform(both) == 4)
    // Without a device, and without groups.
    #expect(try await fixture.store.perform(MissedPushes(of: ["cy"], since: 0, at: 90)) == 0)
    try await fixture.register("e", of: "eve")
    #expect(try await fixture.store.perform(MissedPushes(of: ["eve"], since: 0, at: 90)) == 0)
  }
}
