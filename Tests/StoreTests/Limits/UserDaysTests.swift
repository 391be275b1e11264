import Channels
import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Quotas in the store", .onEachDatabase, .onOwnThreads)
struct UserDaysTests {
  /// Counts messages of users on a server, and records them.
  private static func record(
    _ fixture: Fixture, _ day: Int64, _ messages: [String: Int]
  ) async throws -> [String: DailyCounts.Numbers] {
    var counts = DailyCounts()
    let time = day * DailyCounts.day
    for (userID, count) in messages {
      for _ in 0..<count { _ = counts.admit(userID, .messages, limit: .max, at: time) }
      _ = counts.admit(userID, .channels, limit: .max, at: time)
    }
    let taken = counts.takeBatch(limit: .max, at: time)
    return try await fixture.store.perform(UserDayRecord(try #require(taken)))
  }

  @Test("counts of servers are added, and those of days before are removed")
  func adds() async throws {
    let fixture = try await Fixture()
    let first = try await Self.record(fixture, 7, ["ann": 3, "not-a-user": 1])
    #expect(first == ["ann": DailyCounts.Numbers(messages: 3, channels: 1)])
    let second = try await Self.record(fixture, 7, ["ann": 2])
    #expect(second == ["ann": DailyCounts.Numbers(messages: 5, channels: 2)])
    #expect(try await fixture.store.perform(UserDay(of: "ann", on: 7)).messages == 5)
    #expect(try await fixture.store.perform(UserDay(of: "ann", on: 8)) == DailyCounts.Numbers())
    _ = try await Self.record(fixture, 8, ["ann": 1])
    #expect(try await fixture.store.perform(UserDay(of: "ann", on: 7)).messages == 5)
    _ = try await Self.record(fixture, 9, ["ann": 1])
    #expect(try await fixture.store.perform(UserDay(of: "ann", on: 7)) == DailyCounts.Numbers())
  }

  @Test("the size of the store, its channels and its users")
  func usage() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...3 { try await fixture.store.append(fixture.message(id, at: id)) }
    let usage = try await fixture.store.perform(StoredUsage(), for: .server)
    #expect(usage.messageCount == 3 && usage.openChannelCount >= 1 && usage.userCount >= 1)
    #expect(usage.topChannels.first?.count == 3)
    #expect(usage.size.databaseByteCount > 10_000)
    let size = try await fixture.store.perform(StoredSize(countingMessages: true), for: .server)
    #expect(size.messageCount == 3)
    #expect(
      try await fixture.store.perform(StoredSize(countingMessages: false), for: .server)
        .messageCount == 0)
    #expect(try await fixture.store.perform(CreatedGroupCount(by: "ann", upTo: 5)) == 0)
    #expect(try await fixture.store.perform(StoredUserUsage(of: "ann")).joinedGroupCount == 0)
  }
}
