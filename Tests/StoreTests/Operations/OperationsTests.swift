import Channels
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Operations of the store", .onEachDatabase, .onOwnThreads)
struct OperationsTests {
  @Test("a write that fails is undone, without affecting other writes of the batch")
  func isAtomic() async throws {
    let fixture = try await Fixture()
    let store = fixture.store
    let hash: [UInt8] = [1, 2, 3]
    await #expect(throws: StoreError.exists) {
      try await store.perform(UserCreation(User(id: "ann"), accessTokenHash: hash, at: 1))
    }
    _ = try await store.perform(UserCreation(User(id: "dan"), accessTokenHash: [4], at: 1))
    #expect(try await store.perform(IssuedTokenLookup(hash: hash, at: 1)) == nil)
    #expect(try await store.perform(IssuedTokenLookup(hash: [4], at: 1))?.userID == "dan")
    #expect(try await store.perform(AccountLookup("eve")) == nil)
  }

  @Test("errors that a job throws besides the store's own are damage, not refusals")
  func namesErrors() {
    struct Surprise: Error {}
    #expect(StoreError(StoreError.exists) == .exists)
    guard case .damaged = StoreError(Surprise() as any Error) else {
      Issue.record("an unknown error is not damage")
      return
    }
  }

  @Test("a prompt write overtakes waiting writes")
  func passes() async throws {
    let fixture = try await Fixture()
    let gate = fixture.store.holdWriter()
    let order = Order()
    fixture.store.perform(SeenNotes(["ann": 1])) { _ in order.note("ordinary") }
    let change = ProfileChange("ann", nickname: "Anna", at: 1)
    fixture.store.perform(ProfileAdoption(change, missingUser: .isReported)) { _ in
      order.note("prompt")
    }
    gate.open()
    _ = try await fixture.store.perform(SeenNotes([:]))
    #expect(order.names == ["prompt", "ordinary"])
  }

  @Test(
    "the profile of a deactivated user is not changed, and a missing one only created on request")
  func adopts() async throws {
    let store = try await Fixture().store
    _ = try await store.perform(UserChange("bob", isActive: false))
    func adopt(
      _ id: String, _ missing: ProfileAdoption.MissingUser
    ) async throws -> ProfileAdoption.Outcome {
      let change = ProfileChange(id, nickname: "New", at: 1)
      return try await store.perform(ProfileAdoption(change, missingUser: missing))
    }
    #expect(try await adopt("ann", .isReported) == .adopted(User(id: "ann", nickname: "New")))
    #expect(try await adopt("bob", .isMade) == .deactivated)
    #expect(try await adopt("dan", .isReported) == .missing)
    #expect(try await store.perform(AccountLookup("dan")) == nil)
    #expect(try await adopt("dan", .isMade) == .adopted(User(id: "dan", nickname: "New")))
    #expect(try await store.perform(AccountLookup("bob"))?.user.nickname == "Bob")
    #expect(try await store.perform(DeactivatedUsers(among: ["ann", "bob", "eve"])) == ["bob"])
    #expect(
      try await store.perform(ExistingUsers(among: ["bob", "eve", "ann"])) == ["bob", "ann"])
    #expect(try await store.perform(ExistingUsers(among: [])) == [])
  }

  @Test("a profile change reports whether the profile differs from before")
  func changesProfiles() async throws {
    let store = try await Fixture().store
    func change(_ id: String, _ nickname: String?) async throws -> ProfileChange.Outcome {
      try await store.perform(ProfileChange(id, nickname: nickname, metadata: ["a": "b"], at: 1))
    }
    let user = User(id: "ann", nickname: "Anna", metadata: ["a": "b"])
    #expect(try await change("ann", "Anna") == .init(user: user, isChanged: true))
    #expect(try await change("ann", "Anna") == .init(user: user, isChanged: false))
    #expect(try await change("ann", nil) == .init(user: user, isChanged: false))
    let new = User(id: "dan", metadata: ["a": "b"])
    #expect(try await change("dan", nil) == .init(user: new, isChanged: true))
  }

  @Test("a deactivated user gets no session token")
  func issues() async throws {
    let store = try await Fixture().store
    _ = try await store.perform(UserChange("bob", isActive: false))
    func issue(_ hash: [UInt8], _ id: String) async throws -> SessionTokenCreation.Outcome {
      try await store.perform(
        SessionTokenCreation(hash: hash, userID: id, expiresAt: 9, at: 1))
    }
    #expect(try await issue([1], "ann") == .issued)
    #expect(try await issue([2], "bob") == .deactivated)
    #expect(try await store.perform(IssuedTokenLookup(hash: [1], at: 1))?.userID == "ann")
    #expect(try await store.perform(IssuedTokenLookup(hash: [2], at: 1)) == nil)
    await #expect(throws: StoreError.noUser("eve")) { try await issue([3], "eve") }
  }

  @Test("a partly given limit keeps its other part, or takes it from the more general limit")
  func completes() async throws {
    let store = try await Fixture().store
    let general = LimitOverride(messages: 5, windowMilliseconds: 1_000)
    func set(messages: Int? = nil, window: Int64? = nil) async throws -> LimitChange.Outcome {
      let parts = LimitChange.LimitParts(
        messages: messages, windowMilliseconds: window, general: general)
      return try await store.perform(LimitChange(.set([.flood: parts]), for: .customType("game")))
    }
    var outcome = try await set(messages: 7)
    #expect(outcome.own == [.flood: LimitOverride(messages: 7, windowMilliseconds: 1_000)])
    outcome = try await set(window: 50)
    #expect(outcome.own == [.flood: LimitOverride(messages: 7, windowMilliseconds: 50)])
    #expect(outcome.shared.customTypes == ["game": outcome.own])
    outcome = try await store.perform(LimitChange(.removeAll, for: .customType("game")))
    #expect(outcome == LimitChange.Outcome(shared: LimitOverrides(), own: [:]))
  }

  @Test("changed metadata is returned both as written and as a whole")
  func changesMetadata() async throws {
    let store = try await Fixture().store
    func change(_ action: MetadataChange.Action) async throws -> MetadataChange.Outcome {
      try await store.perform(MetadataChange(action, of: .channel("lobby", .open)))
    }
    _ = try await change(.insert(["a": "1", "b": "2"]))
    let updated = try await change(.update(["b": "3", "c": "4"], missing: .skip))
    #expect(updated.written == ["b": "3"])
    #expect(updated.items == ["a": "1", "b": "3"])
    await #expect(throws: StoreError.notFound(.metadata)) { try await change(.remove("c")) }
    #expect(try await change(.remove("a")).items == ["b": "3"])
    #expect(try await store.perform(MetadataLookup(of: .channel("lobby", .open))) == ["b": "3"])
    #expect(
      try await store.perform(MetadataLookup(of: .channel("lobby", .open), keys: ["a"])) == [:])
  }
}

/// Names in the order in which they were noted.
private final class Order: Sendable {
  private let noted = Mutex<[String]>([])

  var names: [String] { noted.withLock { $0 } }

  func note(_ name: String) { noted.withLock { $0.append(name) } }
}
