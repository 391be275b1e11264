import Channels
import Configuration
import FloodControl
import Store
import Testing

@testable import Gateway

@Suite("The table of limits")
struct LimitTableTests {
  private func override(_ messages: Int) -> LimitOverride {
    LimitOverride(messages: messages, windowMilliseconds: 10)
  }

  @Test("the limit of a custom type overrides the deployment's, which overrides the settings'")
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

  @Test("reloaded limits apply where no other limit is set, and changes are detected")
  func reload() {
    var overrides = LimitOverrides()
    overrides.deployment[.throttle] = override(4)
    let table = LimitTable(Settings().limits, overrides)
    var settings = Settings().limits
    settings.calls.burst = 1
    #expect(!table.adopt(settings))
    settings.flood.limit.count = 7
    settings.throttle.count = 8
    #expect(table.adopt(settings))
    #expect(!table.adopt(settings))
    #expect(table.limit(.flood).count == 7 && table.limit(.flood, customType: "loud").count == 7)
    #expect(table.limit(.throttle).count == 4)
    table.replace(with: LimitOverrides())
    #expect(table.limit(.throttle).count == 8)
  }
}
