import Channels
import Configuration
import FloodControl
import Store
import Testing

@testable import Gateway

@Suite("Table of limits")
struct LimitTableTests {
  private func override(_ messages: Int) -> LimitOverride {
    LimitOverride(messages: messages, windowMilliseconds: 10)
  }

  @Test("a custom type's limit holds before the deployment's, and that before the settings'")
  func precedence() {
    let table = LimitTable(Settings().limits, LimitOverrides())
    #expect(table.limit(.flood, customType: "loud").count == 5)
    #expect(table.source(.flood, customType: "loud") == .settings)
    var overrides = LimitOverrides()
    overrides.deployment[.flood] = override(4)
    overrides.customTypes["loud"] = [.flood: override(3)]
    table.replace(with: overrides)
    #expect(table.limit(.flood, customType: "loud").count == 3)
    #expect(table.limit(.flood, customType: "other").count == 4)
    #expect(table.limit(.flood) == RateLimit(count: 4, windowMilliseconds: 10))
    #expect(table.limit(.throttle, customType: "loud").count == 5)
    #expect(table.source(.flood, customType: "loud") == .customType)
    #expect(table.source(.flood, customType: "other") == .deployment)
    #expect(table.source(.throttle, customType: "loud") == .settings)
    table.replace(with: LimitOverrides())
    #expect(table.limit(.flood, customType: "loud").count == 5)
  }
}
