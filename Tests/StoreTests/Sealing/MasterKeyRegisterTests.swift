import ParleyProtocol
import Channels
import TestSupport
import Testing

@testable import Store

@Suite("The master keys of a deployment", .onEachDatabase, .onOwnThreads)
struct MasterKeyRegisterTests {
  private func keys(_ ids: String...) -> [MasterKeyProof] {
    ids.map { MasterKeyProof(keyID: $0, proof: Array("proof \($0)".utf8)) }
  }

  private func use(_ fixture: Fixture) async throws -> MasterKeyUse {
    try await fixture.store.perform(MasterKeyUseLookup())
  }

  @Test("the first server's key is the one that all others need")
  func first() async throws {
    let fixture = try await Fixture()
    #expect(try await use(fixture).required(.shared) == [])
    let joins: [(keys: [MasterKeyProof], obstacle: MasterKeyObstacle?)] = [
      (keys("k1"), nil), (keys("k2"), .lacks(["k1"])), (keys("k2", "k1"), nil),
      // The second line of another server is no key that all need.
      (keys("k3"), .lacks(["k2"])), (keys("k2"), nil),
    ]
    for (keys, obstacle) in joins {
      let found = try await fixture.store.perform(MasterKeyJoin(keys, .shared))
      #expect(found == obstacle, "\(keys.map(\.keyID))")
    }
    let use = try await use(fixture)
    #expect(use.registered.map(\.keyID) == ["k1", "k2"] && use.currentID == "k2")
    #expect(use.required(.shared) == ["k2"] && use.required(.alone) == [])
  }

  @Test("a missing key that files need is reported, and so is another key with its name")
  func needed() async throws {
    let fixture = try await Fixture()
    _ = try await fixture.store.perform(MasterKeyJoin(keys("k1"), .alone))
    let file = FileRecord(
      id: String(repeating: "a", count: 32), name: "a", type: "", size: 1,
      seal: FileSeal(masterKeyID: "k1", keys: [1]))
    try await fixture.store.perform(
      FileNote(file, of: "ann", at: 1_000, expiresAt: 2_000, secretHash: [1]))
    for sharing in [StoreSharing.alone, .shared] {
      let missed = try await fixture.store.perform(MasterKeyJoin(keys("k2"), sharing))
      #expect(missed == .lacks(["k1"]))
      let other = [MasterKeyProof(keyID: "k1", proof: [1])]
      #expect(try await fixture.store.perform(MasterKeyJoin(other, sharing)) == .differs("k1"))
      #expect(try await fixture.store.perform(MasterKeyJoin(keys("k1"), sharing)) == nil)
    }
    #expect(try await use(fixture).needed == ["k1"])
  }

  @Test("a single server may use another key as long as no file needs the previous one")
  func alone() async throws {
    let fixture = try await Fixture()
    for id in ["k1", "k2"] {
      #expect(try await fixture.store.perform(MasterKeyJoin(keys(id), .alone)) == nil)
      #expect(try await use(fixture).currentID == id)
    }
  }
}
