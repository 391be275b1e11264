import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("New epochs of a database in PostgreSQL", .onOwnThreads)
struct EpochRenewalTests {
  @Test("all channels get a new one, while no server uses the database")
  func renews() async throws {
    let url = try PostgreSQLDatabase.make()
    let store = try Store(.postgreSQL(url: url))
    for name in ["a", "b"] {
      _ = try await store.write {
        try $0.createChannel(Channel(url: name, createdAt: 1), epoch: "first")
      }
    }
    #expect(throws: StoreError.self) { try EpochRenewals.run(in: .postgreSQL(url: url)) }
    store.close()
    #expect(try EpochRenewals.run(in: .postgreSQL(url: url)) == 2)
    let again = try Store(.postgreSQL(url: url))
    for name in ["a", "b"] {
      let epoch = try await again.read { try $0.channel(name)?.epoch }
      #expect(epoch != nil && epoch != "first")
    }
    again.close()
  }
}
