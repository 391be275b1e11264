import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The contract of the log for received messages", .serialized, .onOwnThreads)
struct DeliveryContractTests {
  /// A group of ann, with bob joined, dan invited, and messages of ann from number 1 on.
  private func den(_ fixture: LogFixture, _ count: Int = 3) async throws -> LogChannel {
    let den = try #require(await fixture.create(inviting: ["bob", "dan"]).state?.place)
    try await fixture.post(Array(repeating: "ann", count: count), from: 1, to: den)
    return den
  }

  /// The positions by user, without those at 0.
  private func positions(
    _ fixture: LogFixture, _ url: String = "den"
  ) async throws -> [String: Int64] {
    try #require(await fixture.state(url)).members.reduce(into: [:]) { times, member in
      if member.deliveredAt > 0 { times[member.user.id] = member.deliveredAt }
    }
  }

  private func deliver(
    _ deliveries: [Delivery], _ fixture: LogFixture, _ place: LogChannel
  ) async -> LogResult {
    await fixture.perform(.write(.deliver(deliveries), place))
  }

  @Test("positions of joined members rise, and no others", arguments: LogKind.allCases)
  func rises(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    let first = await deliver(
      [
        Delivery(to: "ann", at: 10), Delivery(to: "bob", at: 20), Delivery(to: "dan", at: 20),
        Delivery(to: "nobody", at: 20),
      ], fixture, den)
    #expect(first == .success(.stored))
    #expect(try await positions(fixture) == ["ann": 10, "bob": 20])
    _ = await deliver([Delivery(to: "ann", at: 30), Delivery(to: "bob", at: 10)], fixture, den)
    #expect(try await positions(fixture) == ["ann": 30, "bob": 20])
    // It records no event, and no change for clients.
    #expect(await fixture.state("den")?.lastSeq == 5)
    #expect(try await fixture.member("bob", of: den).position == ReadPosition())
  }

  @Test("a member that leaves loses its position", arguments: LogKind.allCases)
  func leaves(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    _ = await deliver([Delivery(to: "bob", at: 30)], fixture, den)
    _ = await fixture.change(den, .depart(["bob"], .left))
    _ = await fixture.change(den, .invite(["bob"], by: nil))
    #expect(try await positions(fixture).isEmpty)
  }

  @Test(
    "what was read stays delivered when it is marked as unread, but for private readers",
    arguments: LogKind.allCases)
  func unread(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    _ = await fixture.changeOwn(.markRead(upTo: 3), of: "bob", in: den)
    #expect(try await positions(fixture).isEmpty)
    let own = await fixture.changeOwn(.markUnread(from: 1), of: "bob", in: den).own
    #expect(own?.deliveredAt == 30)
    #expect(try await positions(fixture) == ["bob": 30])
    // The next change of its own part keeps it.
    _ = await fixture.changeOwn(.prefer(.off), of: "bob", in: den)
    #expect(try await positions(fixture) == ["bob": 30])
  }

  @Test(
    "a message has a place while it exists, and as a deleted one", arguments: LogKind.allCases)
  func places(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    await fixture.delete(2, in: den)
    func place(_ id: Int64) async -> MessagePlace? {
      guard
        case .messagePlace(let place)? = await fixture.read(.messagePlace(id, channelID: den.id))
      else { return nil }
      return place
    }
    #expect(await place(1) == MessagePlace(ordinal: 1, createdAt: 10))
    #expect(await place(2) == MessagePlace(ordinal: 2, createdAt: 20))
    #expect(await place(4) == nil)
    #expect(await fixture.read(.messagePlace(1, channelID: den.id + 1_000)) == .messagePlace(nil))
  }

  @Test("a channel of another judge is not written", arguments: LogKind.allCases)
  func fenced(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    _ = await fixture.perform(.takeOver(url: "den"))
    #expect(await deliver([Delivery(to: "bob", at: 30)], fixture, den).error == .fenced)
    #expect(try await positions(fixture).isEmpty)
  }

  @Test("one write has room for the members of the largest group", arguments: LogKind.allCases)
  func many(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try await den(fixture)
    let others = (0..<98).map { Delivery(to: "u\($0)", at: Int64($0)) }
    let result = await deliver(others + [Delivery(to: "bob", at: 30)], fixture, den)
    #expect(result == .success(.stored))
    #expect(try await positions(fixture) == ["bob": 30])
  }
}
