import Channels
import ParleyProtocol
import Push
import TestSupport
import Testing

@testable import Store

@Suite("The audience of push jobs", .serialized, .onOwnThreads)
struct PushAudienceTests {
  private static let stores = PushFixture.stores

  private func job(
    _ fixture: PushFixture, _ scope: PushScope = .members(after: ""), message: Int64 = 1
  ) -> PushJob {
    PushJob(
      channelID: fixture.den.id, channelURL: "den", messageID: message, scope: scope,
      createdAt: 10, dueAt: 17)
  }

  @Test(
    "members with a device are read with all that decides, and others are left out",
    arguments: stores)
  func members(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for userID in ["ann", "bob", "dan", "eve"] { try await fixture.register(userID, of: userID) }
    try await fixture.register("second", of: "bob", at: 2)
    var message = fixture.message(1)
    message.mentionedUserIDs = ["cy"]
    await fixture.append(message)
    await fixture.append(fixture.message(2))
    var change = PushPreferencesChange()
    change.trigger = .off
    try await fixture.store.perform(PushPreferencesUpdate(change, of: "bob"))
    let choice = await fixture.log.changeOwn(
      .preferPushes(.all, counting: nil), of: "bob", in: fixture.den)
    #expect(choice.error == nil)
    try await fixture.store.perform(BlockAddition(by: "bob", of: ["ann"]))
    let read = await fixture.log.changeOwn(.markRead(upTo: 1), of: "bob", in: fixture.den)
    #expect(read.error == nil)
    let page = try await fixture.audience(of: job(fixture))
    #expect(page.message?.id == 1 && page.message?.user?.nickname == "Ann")
    #expect(page.message?.mentionedUsers.map(\.id) == ["cy"])
    #expect(page.facts?.mentions == .users(["cy"]) && page.facts?.ordinal == 1)
    #expect(page.facts?.kind == .group && page.facts?.pushOption == .default)
    #expect(page.recipients.map(\.recipient.userID) == ["ann", "bob"] && page.next == nil)
    let bob = page.recipients[1]
    #expect(bob.tokens.map(\.token.address.name) == ["bob", "second"])
    #expect(bob.recipient.tokenCount == 2 && bob.recipient.state == .joined)
    #expect(bob.recipient.blocksAuthor && bob.recipient.readOrdinal == 1)
    #expect(bob.recipient.preferences.trigger == .off && bob.recipient.channelTrigger == .all)
    #expect(!bob.recipient.isDeactivated && !bob.recipient.hasForegroundSession)
    let ann = page.recipients[0].recipient
    #expect(!ann.blocksAuthor && ann.preferences == PushPreferences() && ann.readOrdinal == 2)
    _ = await fixture.log.change(fixture.den, .depart(["bob"], .left))
    let later = try await fixture.audience(of: job(fixture))
    #expect(later.recipients.map(\.recipient.userID) == ["ann"])
  }

  @Test("pages follow one another by id, and skip members without a device", arguments: stores)
  func pages(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    let ids = (10..<24).map { "user\($0)" }
    try await fixture.store.write { transaction in
      for id in ids { _ = try transaction.upsertUser(id, nickname: id, at: 1) }
    }
    _ = await fixture.log.change(fixture.den, .invite(ids, by: nil))
    for id in ids where id != "user15" { try await fixture.register(id, of: id) }
    await fixture.append(fixture.message(1))
    var found: [String] = []
    var next: String? = ""
    var sizes: [Int] = []
    while let after = next {
      let page = try await fixture.audience(of: job(fixture, .members(after: after)), limit: 4)
      found += page.recipients.map(\.recipient.userID)
      sizes.append(page.recipients.count)
      next = page.next
    }
    // 17 members: ann, bob and cy have no device.
    #expect(found == ids.filter { $0 != "user15" })
    #expect(sizes == [1, 4, 3, 4, 1])
    let whole = try await fixture.audience(of: job(fixture), limit: 17)
    #expect(whole.next == "user23" && whole.recipients.count == 13)
    let last = try await fixture.audience(of: job(fixture, .members(after: "user23")), limit: 17)
    #expect(last.next == nil && last.recipients.isEmpty && last.message != nil)
  }

  @Test("a job for a user or a token has no other recipient", arguments: stores)
  func single(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for name in ["b1", "b2"] { try await fixture.register(name, of: "bob") }
    try await fixture.register("c", of: "cy")
    await fixture.append(fixture.message(1))
    let user = try await fixture.audience(of: job(fixture, .user("bob")))
    #expect(user.recipients.map(\.recipient.userID) == ["bob"] && user.next == nil)
    let tokens = try #require(user.recipients.first?.tokens)
    let retry = job(fixture, .token(userID: "bob", id: tokens[1].id))
    let one = try await fixture.audience(of: retry)
    #expect(one.recipients.map(\.tokens) == [[tokens[1]]])
    #expect(one.recipients.first?.recipient.tokenCount == 1)
    // The token has another owner meanwhile.
    try await fixture.register("b2", of: "cy", at: 9)
    #expect(try await fixture.audience(of: retry).recipients.isEmpty)
    #expect(try await fixture.audience(of: job(fixture, .user("dan"))).recipients.isEmpty)
  }

  @Test("the audience of an open channel's message is whom it mentions", arguments: stores)
  func openChannel(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind, pushesOpenChannelMentions: true)
    for userID in ["ann", "bob", "dan"] { try await fixture.register(userID, of: userID) }
    var message = fixture.log.message(1)
    (message.pushes, message.mentionedUserIDs) = (.plain, ["dan", "cy", "bob"])
    await fixture.append(message, to: fixture.log.lobby)
    let job = try #require(try await fixture.jobs().jobs.first)
    let page = try await fixture.audience(of: job, limit: 2)
    #expect(page.recipients.map(\.recipient.userID) == ["bob", "dan"] && page.next == nil)
    #expect(page.recipients.allSatisfy { $0.recipient.state == nil })
    #expect(page.facts?.kind == .open && page.facts?.mentions?.include("dan") == true)
  }

  @Test("messages that are not pushed are known later", arguments: stores)
  func explanation(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    var suppressed = fixture.message(1)
    suppressed.pushes = nil
    var quiet = fixture.message(2, by: nil)
    quiet.pushes = nil
    for message in [suppressed, quiet, fixture.message(3, by: nil)] {
      await fixture.append(message)
    }
    let facts = [
      try await fixture.audience(of: job(fixture, message: 1)).facts,
      try await fixture.audience(of: job(fixture, message: 2)).facts,
      try await fixture.audience(of: job(fixture, message: 3)).facts,
    ]
    #expect(facts.map { $0?.pushOption } == [.suppress, .default, .default])
    #expect(facts.map { $0?.sendsAdminPush } == [false, false, true])
  }

  @Test("a page takes three round trips, with its message and mentions")
  func roundTrips() async throws {
    let fixture = try await PushFixture(.postgreSQL)
    for userID in ["bob", "cy"] { try await fixture.register(userID, of: userID) }
    var message = fixture.message(1)
    message.mentionedUserIDs = ["cy"]
    await fixture.append(message)
    let audience = PushAudience(of: job(fixture))
    let count = try await fixture.store.read { transaction in
      let session = try #require(transaction.connection.session as? PostgreSQLSession)
      let before = session.roundTripCount
      #expect(try audience.statements.run(transaction).recipients.count == 2)
      return session.roundTripCount - before
    }
    #expect(count == 3)
  }

  @Test("badges count as the totals of users do", arguments: stores)
  func badges(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    let hut = try #require(await fixture.log.create("hut", inviting: ["bob"]).state?.place)
    for id in Int64(1)...3 { await fixture.append(fixture.message(id)) }
    await fixture.append(fixture.message(4), to: hut)
    await fixture.log.delete(2, in: fixture.den)
    _ = await fixture.log.changeOwn(.prefer(.off), of: "cy", in: fixture.den)
    let ids = ["ann", "bob", "cy", "dan", "none"]
    let badges = try await fixture.store.perform(PushBadges(of: ids), for: .server)
    #expect(badges == ["ann": 0, "bob": 3, "cy": 0, "dan": 0, "none": 0])
    for id in ids {
      let totals = try await fixture.store.perform(
        UnreadTotals(of: id, try GroupTotals(Fields(JSONDocument("{}").root))), for: .server)
      #expect(badges[id] == totals.unreadMessageCount)
    }
  }
}
