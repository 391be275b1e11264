import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Limits of individual channels", .onEachDatabase, .onOwnThreads)
struct ChannelLimitsTests {
  @Test("channels with their own limits are listed page by page, until they are removed")
  func lists() async throws {
    let fixture = try await Fixture()
    let limit = LimitOverride(messages: 3, windowMilliseconds: 500)
    try await fixture.store.write { transaction in
      for number in 0..<5 {
        let url = "room-\(number)"
        _ = try transaction.createChannel(Channel(url: url, createdAt: 5), epoch: "e")
        let kind: LimitKind = number == 0 ? .throttle : .flood
        if number != 2 { try transaction.setLimitOverride(limit, kind, for: .channel(url)) }
      }
    }
    let first = try await fixture.store.read { try $0.listChannelLimits(limit: 3) }
    #expect(first.channels.map(\.url) == ["room-0", "room-1", "room-3"])
    #expect(
      first.channels.map(\.overrides) == [[.throttle: limit], [.flood: limit], [.flood: limit]])
    let second = try await fixture.store.read {
      try $0.listChannelLimits(limit: 3, token: first.next)
    }
    #expect(second.channels.map(\.url) == ["room-4"])
    #expect(second.next.isEmpty)
    try await fixture.store.write { transaction in
      for number in 0..<5 { try transaction.removeLimitOverrides(for: .channel("room-\(number)")) }
    }
    #expect(try await fixture.store.read { try $0.listChannelLimits().channels } == [])
    await #expect(throws: StoreError.invalidPageToken) {
      try await fixture.store.read { try $0.listChannelLimits(token: "00000000") }
    }
  }

  @Test("removing the limits of a scope removes both kinds")
  func removesBoth() async throws {
    let fixture = try await Fixture()
    let limit = LimitOverride(messages: 3, windowMilliseconds: 500)
    let rest = try await fixture.store.write { transaction in
      for kind in LimitKind.allCases {
        try transaction.setLimitOverride(limit, kind, for: .deployment)
        try transaction.setLimitOverride(limit, kind, for: .customType("game"))
      }
      try transaction.removeLimitOverrides(for: .customType("game"))
      return try transaction.limitOverrides()
    }
    #expect(rest.customTypes == [:])
    #expect(rest.deployment == [.flood: limit, .throttle: limit])
  }
}
