import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Overridden limits", .onEachDatabase, .onOwnThreads)
struct LimitsTests {
  @Test("a limit is set, replaced and removed for each scope separately")
  func overrides() async throws {
    let fixture = try await Fixture()
    let scopes: [LimitScope] = [.deployment, .customType("game"), .channel("lobby")]
    for (index, scope) in scopes.enumerated() {
      let limit = LimitOverride(messages: index + 1, windowMilliseconds: 2_000)
      try await fixture.store.write { transaction in
        try transaction.setLimitOverride(
          LimitOverride(messages: 9, windowMilliseconds: 9), .flood, for: scope)
        try transaction.setLimitOverride(limit, .flood, for: scope)
      }
      let (flood, throttle) = try await fixture.store.read {
        (try $0.limitOverride(.flood, for: scope), try $0.limitOverride(.throttle, for: scope))
      }
      #expect(flood == limit)
      #expect(throttle == nil)
    }
    let (all, state) = try await fixture.store.read {
      (try $0.limitOverrides(), try $0.channel("lobby"))
    }
    #expect(all.deployment == [.flood: LimitOverride(messages: 1, windowMilliseconds: 2_000)])
    #expect(
      all.customTypes
        == ["game": [.flood: LimitOverride(messages: 2, windowMilliseconds: 2_000)]])
    #expect(state?.floodOverride?.messages == 3)
    #expect(state?.throttleOverride == nil)
    for scope in scopes {
      try await fixture.store.write { try $0.setLimitOverride(nil, .flood, for: scope) }
      let limit = try await fixture.store.read { try $0.limitOverride(.flood, for: scope) }
      #expect(limit == nil)
    }
  }

  @Test("a limit for a missing channel is refused")
  func needsChannel() async throws {
    let fixture = try await Fixture()
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.write {
        try $0.setLimitOverride(nil, .throttle, for: .channel("nowhere"))
      }
    }
  }
}
