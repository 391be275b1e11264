import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Groups in the store", .onEachDatabase, .onOwnThreads)
struct StoredGroupsTests {
  @Test("groups are counted in pieces, without open channels and deleted groups")
  func pieces() async throws {
    let fixture = try await Fixture()
    func piece(after place: Int64 = 0, limit: Int) async throws -> StoredGroups.Outcome {
      try await fixture.store.perform(StoredGroups(after: place, limit: limit), for: .server)
    }
    #expect(try await piece(limit: 3) == .init(count: 0, next: nil))
    try await fixture.store.write { transaction in
      for number in 0..<6 {
        _ = try transaction.createGroup(
          Channel(
            url: "g\(number)", createdAt: 1, group: Group(createdBy: User(id: "ann"))),
          epoch: "e", inviting: [])
      }
      _ = try transaction.deleteChannel("g0", at: 30)
    }
    let first = try await piece(limit: 3)
    let next = try #require(first.next)
    #expect(first.count == 3)
    let second = try await piece(after: next, limit: 3)
    #expect(second == .init(count: 2, next: nil))
    #expect(try await piece(limit: 5).next != nil)
    #expect(try await piece(limit: 6) == .init(count: 5, next: nil))
  }
}
