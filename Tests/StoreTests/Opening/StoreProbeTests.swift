import Channels
import TestSupport
import Testing

@testable import Store

@Suite("Probing a store", .onEachDatabase, .onOwnThreads)
struct StoreProbeTests {
  @Test("shows master keys and files while a server uses the store, and changes nothing")
  func shows() async throws {
    let fixture = try await Fixture()
    let empty = try #require(try StoreProbe(fixture.place))
    #expect(empty.masterKeys.registered.isEmpty && empty.files.isEmpty)
    let proof = MasterKeyProof(keyID: "k1", proof: [1, 2, 3])
    _ = try await fixture.store.perform(MasterKeyJoin([proof], .shared))
    let probe = try #require(try StoreProbe(fixture.place))
    #expect(probe.masterKeys.registered == [proof] && probe.masterKeys.currentID == "k1")
    #expect(probe.masterKeys.required(.shared) == ["k1"])
  }

  @Test("finds no store where no server has created one")
  func absent() throws {
    switch StoreUnderTest.current {
    case .sqlite:
      let directory = TemporaryDirectory()
      #expect(try StoreProbe(.directory(directory.path)) == nil)
    case .postgreSQL:
      #expect(try StoreProbe(.postgreSQL(url: PostgreSQLDatabase.make())) == nil)
    }
  }
}
