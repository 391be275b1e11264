import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Metadata of users and channels", .onEachDatabase, .onOwnThreads)
struct MetadataTests {
  static let owners: [MetadataOwner] = [.user("ann"), .channel("lobby", .open)]

  @Test("items are inserted once, and read individually or all together", arguments: owners)
  func inserts(owner: MetadataOwner) async throws {
    let fixture = try await Fixture()
    let items = try await fixture.store.write { transaction in
      _ = try transaction.insertMetadata(["a": "1"], of: owner)
      return try transaction.insertMetadata(["b": "", "\u{1F600}": "'\""], of: owner)
    }
    #expect(items == ["a": "1", "b": "", "\u{1F600}": "'\""])
    let (read, one) = try await fixture.store.read {
      (try $0.metadata(of: owner), try $0.metadata("a", of: owner))
    }
    #expect(read == items)
    #expect(one == "1")
    await #expect(throws: StoreError.keyExists("a")) {
      try await fixture.store.write { try $0.insertMetadata(["c": "3", "a": "2"], of: owner) }
    }
    await #expect(throws: StoreError.notFound(.metadata)) {
      try await fixture.store.read { try $0.metadata("c", of: owner) }
    }
  }

  @Test("an update skips or adds missing items, and leaves the rest", arguments: owners)
  func updates(owner: MetadataOwner) async throws {
    let fixture = try await Fixture()
    let (skipping, inserting, all) = try await fixture.store.write { transaction in
      _ = try transaction.insertMetadata(["a": "1", "b": "2"], of: owner)
      return (
        try transaction.updateMetadata(["a": "x", "c": "3"], of: owner),
        try transaction.updateMetadata(["a": "y", "c": "3"], of: owner, missing: .insert),
        try transaction.metadata(of: owner)
      )
    }
    #expect(skipping == ["a": "x"])
    #expect(inserting == ["a": "y", "c": "3"])
    #expect(all == ["a": "y", "b": "2", "c": "3"])
  }

  @Test("one item or all are removed", arguments: owners)
  func removes(owner: MetadataOwner) async throws {
    let fixture = try await Fixture()
    let rest = try await fixture.store.write { transaction in
      _ = try transaction.insertMetadata(["a": "1", "b": "2"], of: owner)
      try transaction.removeMetadata("a", of: owner)
      return try transaction.metadata(of: owner)
    }
    #expect(rest == ["b": "2"])
    await #expect(throws: StoreError.notFound(.metadata)) {
      try await fixture.store.write { try $0.removeMetadata("a", of: owner) }
    }
    for _ in 0..<2 { try await fixture.store.write { try $0.removeAllMetadata(of: owner) } }
    #expect(try await fixture.store.read { try $0.metadata(of: owner) } == [:])
  }

  @Test("a 26th item and an overlong key or value change nothing", arguments: owners)
  func bounds(owner: MetadataOwner) async throws {
    let fixture = try await Fixture()
    let key = String(repeating: "\u{1F600}", count: 128)
    let value = String(repeating: "\u{1F600}", count: 190)
    let items = Dictionary(uniqueKeysWithValues: (0..<24).map { ("\($0)", "") })
    try await fixture.store.write { transaction in
      _ = try transaction.insertMetadata(items, of: owner)
      _ = try transaction.insertMetadata([key: value], of: owner)
    }
    let stored = try await fixture.store.read { try $0.metadata(of: owner) }
    #expect(stored.count == 25)
    let refused: [([String: String], StoreError)] = [
      (["0": "x", "new": ""], .tooManyItems(limit: 25)),
      (["0": value + "x"], .tooLong(key: "0", limit: 190)),
      ([key + "x": ""], .tooLong(key: key + "x", limit: 128)),
      (["0": "\u{0}"], .unstorableText),
    ]
    for (items, error) in refused {
      await #expect(throws: error) {
        try await fixture.store.write {
          try $0.updateMetadata(items, of: owner, missing: .insert)
        }
      }
    }
    #expect(try await fixture.store.read { try $0.metadata(of: owner) } == stored)
  }

  @Test("a user's metadata is limited to 4,096 bytes in total, a channel's by its items")
  func boundsTogether() async throws {
    let fixture = try await Fixture()
    let items = Dictionary(
      uniqueKeysWithValues: (10..<33).map { ("\($0)", String(repeating: "x", count: 184)) })
    await #expect(throws: StoreError.tooLarge(byteCount: 4_278, limit: 4_096)) {
      try await fixture.store.write { try $0.insertMetadata(items, of: .user("ann")) }
    }
    _ = try await fixture.store.write { try $0.insertMetadata(items, of: .channel("lobby", .open)) }
  }

  @Test("limits are settings, and items may stay when they are lowered", arguments: owners)
  func otherLimits(owner: MetadataOwner) async throws {
    let fixture = try await Fixture()
    let items = Dictionary(uniqueKeysWithValues: (0..<30).map { ("\($0)", "v") })
    var limits = MetadataLimits()
    limits.itemCount = 30
    let insertion = MetadataChange(.insert(items), of: owner, within: limits)
    #expect(try await fixture.store.perform(insertion).items.count == 30)
    limits.itemCount = 2
    limits.userByteCount = 8
    let replacement = MetadataChange(
      .update(["0": "w"], missing: .insert), of: owner, within: limits)
    #expect(try await fixture.store.perform(replacement).items["0"] == "w")
    let addition = MetadataChange(.update(["new": ""], missing: .insert), of: owner, within: limits)
    await #expect(throws: StoreError.tooManyItems(limit: 2)) {
      try await fixture.store.perform(addition)
    }
    let removal = MetadataChange(.remove("0"), of: owner)
    #expect(try await fixture.store.perform(removal).items.count == 29)
  }

  @Test(
    "a missing owner has no metadata",
    arguments: [
      (MetadataOwner.user("nobody"), StoreError.noUser("nobody")),
      (.channel("nowhere", .open), .notFound(.channel)),
      (.channel("lobby", .group), .notFound(.channel)),
    ])
  func needsOwner(owner: MetadataOwner, error: StoreError) async throws {
    let fixture = try await Fixture()
    await #expect(throws: error) { try await fixture.store.read { try $0.metadata(of: owner) } }
    await #expect(throws: error) {
      try await fixture.store.write { try $0.insertMetadata(["a": ""], of: owner) }
    }
    await #expect(throws: error) {
      try await fixture.store.write { try $0.removeAllMetadata(of: owner) }
    }
  }

  @Test("users and channels are returned with it, and it is deleted with the channel")
  func isShown() async throws {
    let fixture = try await Fixture()
    let (changed, listed, user) = try await fixture.store.write { transaction in
      for owner in Self.owners { _ = try transaction.insertMetadata(["a": "1"], of: owner) }
      return (
        try transaction.updateChannel("lobby", ChannelChanges(name: "New"), at: 5).channel,
        try transaction.listChannels(ChannelQuery()).channels, try transaction.user("ann")
      )
    }
    #expect(changed.metadata == ["a": "1"])
    #expect(listed.map(\.metadata) == [["a": "1"]])
    #expect(user?.metadata == ["a": "1"])
    let again = try await fixture.store.write { transaction in
      _ = try transaction.deleteChannel("lobby", at: 9)
      let channel = Channel(url: "lobby", createdAt: 10)
      return try transaction.createChannel(channel, epoch: "e").channel
    }
    #expect(again.metadata == [:])
  }
}
