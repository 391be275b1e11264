import Channels
import ParleyProtocol
import Push
import TestSupport
import Testing

@testable import Store

@Suite("Devices of users in the store", .serialized, .onOwnThreads)
struct PushTokenStoreTests {
  private static let stores = PushFixture.stores

  @Test("a token belongs to the last user who registered it", arguments: stores)
  func owners(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    try await fixture.register("AB", of: "ann", type: "apns", at: 1)
    try await fixture.register("b", of: "ann", at: 2)
    #expect(try await fixture.names(of: "ann") == ["ab", "b"])
    let owners = PushTokenOwners(type: .apns, name: "ab")
    #expect(try await fixture.store.perform(owners) == ["ann"])
    #expect(try await fixture.store.perform(PushTokenOwners(type: .gcm, name: "ab")) == [])
    try await fixture.register("ab", of: "bob", type: "apns", at: 3)
    #expect(try await fixture.names(of: "ann") == ["b"])
    #expect(try await fixture.tokens(of: "bob").map(\.createdAt) == [3])
    #expect(try await fixture.store.perform(owners) == ["bob"])
    let counts = try await fixture.store.perform(PushTokenCounts(), for: .server)
    #expect(counts == [.apns: 1, .gcm: 1])
    await #expect(throws: StoreError.noUser("none")) { try await fixture.tokens(of: "none") }
    await #expect(throws: StoreError.noUser("none")) {
      try await fixture.register("c", of: "none")
    }
  }

  @Test("the users with a device are read in pages, each once", arguments: stores)
  func holders(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for (index, userID) in ["cy", "ann", "ann", "bob"].enumerated() {
      try await fixture.register("t\(index)", of: userID)
    }
    for (after, expected) in [("", ["ann", "bob"]), ("bob", ["cy"]), ("cy", [])] {
      let page = PushTokenHolders(after: after, limit: 2)
      #expect(try await fixture.store.perform(page, for: .server) == expected)
    }
  }

  @Test(
    "the 21st token replaces the oldest, and tokens replace those of their device or all",
    arguments: stores)
  func replacements(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for index in 0..<20 {
      try await fixture.register("t\(index)", of: "ann", at: Int64(index + 1))
    }
    try await fixture.register("t0", of: "ann", at: 21)
    try await fixture.register("new", of: "ann", at: 22)
    let names = try await fixture.names(of: "ann")
    #expect(names == (2..<20).map { "t\($0)" } + ["t0", "new"])
    try await fixture.register("aa", of: "ann", type: "apns", device: "phone", at: 23)
    try await fixture.register("only", of: "ann", unique: true, at: 24)
    #expect(try await fixture.names(of: "ann") == ["aa", "only"])
    try await fixture.register("bb", of: "ann", type: "apns", device: "phone", at: 25)
    #expect(try await fixture.names(of: "ann") == ["only", "bb"])
    #expect(try await fixture.tokens(of: "ann").map(\.deviceID) == ["", "phone"])
  }

  @Test("an endpoint of 2,048 characters is stored with its keys", arguments: stores)
  func endpoints(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    // Without repetitions that a database would compress below the size of an index entry.
    var random = SeededGenerator(seed: 4)
    let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    let path = String((0..<2_028).map { _ in digits.randomElement(using: &random) ?? "a" })
    let endpoint = "https://push.example/" + path.dropLast()
    #expect(endpoint.count == 2_048)
    let key = [4] + [UInt8](repeating: 7, count: 64)
    let subscription = WebPushSubscription(
      endpoint: endpoint, publicKey: key, secret: [UInt8](0..<16))
    var call = try PushRegister(
      Fields(JSONDocument(#"{"type":"gcm","token":"x"}"#).root))
    (call.type, call.address) = (.web, .subscription(subscription))
    try await fixture.store.perform(PushRegistration(call, of: "ann", at: 5))
    #expect(try await fixture.tokens(of: "ann").map(\.address) == [.subscription(subscription)])
    let removed = try await fixture.store.perform(PushTokenRemoval(type: .web, name: endpoint))
    #expect(removed == ["ann"])
    #expect(
      try await fixture.store.perform(PushTokenRemoval(type: .web, name: endpoint)).isEmpty)
  }

  @Test("tokens are removed by name, by type and all", arguments: stores)
  func removal(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    for (index, name) in ["a", "b", "c"].enumerated() {
      try await fixture.register(name, of: "ann", at: Int64(index + 1))
    }
    try await fixture.register("dd", of: "ann", type: "apns", at: 4)
    func remove(_ call: PushUnregister, of userID: String = "ann") async throws -> [String] {
      try await fixture.store.perform(PushRemoval(call, of: userID)).map(\.address.name)
    }
    #expect(try await remove(.token(.gcm, name: "b")) == ["b"])
    #expect(try await remove(.token(.gcm, name: "b")).isEmpty)
    #expect(try await remove(.all, of: "none").isEmpty)
    #expect(try await remove(.type(.gcm)) == ["a", "c"])
    #expect(try await remove(.all) == ["dd"])
  }

  @Test("users who are deactivated or deleted lose their tokens", arguments: stores)
  func ends(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    try await fixture.register("a", of: "dan")
    try await fixture.register("b", of: "eve")
    try await fixture.store.perform(UserChange("dan", isActive: false))
    #expect(try await fixture.tokens(of: "dan").isEmpty)
    #expect(try await fixture.names(of: "eve") == ["b"])
    guard case .finished = try await fixture.store.perform(UserDeletionStep("eve")) else {
      Issue.record("eve is still there")
      return
    }
    #expect(try await fixture.store.perform(PushTokenCounts(), for: .server).isEmpty)
  }

  @Test("the first key pair holds", arguments: stores)
  func keys(_ kind: LogKind) async throws {
    let fixture = try await PushFixture(kind)
    #expect(try await fixture.store.perform(PushKeyCreation(pem: "first")) == "first")
    #expect(try await fixture.store.perform(PushKeyCreation(pem: "second")) == "first")
  }
}
