import Channels
import Configuration
import FloodControl
import TestSupport
import Testing

@testable import Gateway
@testable import Store

@Suite("Applying reloaded settings", .onOwnThreads)
struct SettingsAdoptionTests {
  private let driven: DrivenShard
  private var shard: Shard { driven.shard }
  private var services: GatewayServices { driven.shard.services }

  init() throws { driven = try DrivenShard { $0.auth.mode = .token } }

  private func isAllowed(_ origin: String) -> Bool {
    var request = OriginRules.Request()
    request.kind = .user
    request.origins = [origin]
    return shard.origins.refusal(of: request) == nil
  }

  @Test("a shard applies them at its next turn, replacing the previous ones")
  func shards() throws {
    var settings = services.settings
    settings.auth.allowedOrigins = ["https://a.example"]
    settings.limits.calls.burst = 7
    settings.limits.connections = 3
    try services.adopt(settings)
    #expect(services.settings == settings)
    #expect(shard.settings.limits.calls.burst == 300 && !isAllowed("https://a.example"))
    driven.endTurn()
    #expect(shard.settings == settings)
    #expect(isAllowed("https://a.example") && shard.connectionLimit == 3)
  }

  @Test("channels in memory use the limits unless they have their own")
  func channels() throws {
    let channel = driven.channel()
    let own = driven.channel("own") {
      $0.floodOverride = LimitOverride(messages: 1, windowMilliseconds: 10)
    }
    var settings = services.settings
    settings.limits.flood.limit = RateLimit(count: 9, windowMilliseconds: 90)
    settings.limits.throttle = RateLimit(count: 8, windowMilliseconds: 80)
    try services.adopt(settings)
    #expect(services.limits.limit(.flood).count == 9)
    channel.renewLimits()
    own.renewLimits()
    #expect(channel.floodLimit == settings.limits.flood.limit)
    #expect(channel.throttleLimit == settings.limits.throttle)
    #expect(own.floodLimit.count == 1 && own.throttleLimit.count == 8)
  }

  @Test("an unreadable key changes nothing")
  func keys() throws {
    let before = services.settings
    var settings = before
    settings.auth.jwtPublicKey = "/nonexistent/key.pem"
    settings.limits.calls.burst = 7
    #expect(throws: UnusableSetting.self) { try services.adopt(settings) }
    #expect(services.settings == before)
  }

  @Test("metrics show the last reload, and how many changes require a restart")
  func metrics() throws {
    let record = ReloadRecord(at: 1_000)
    let start = record.samples
    var settings = Settings()
    settings.log.level = .error
    settings.reactors = 3
    settings.dataDirectory = "/elsewhere"
    record.note(.refused, at: 2_000)
    #expect(record.samples != start)
    record.note(
      .adopted(try SettingsChange(from: Settings(), to: settings, of: .gateway)), at: 1_000)
    // Two changes wait for a restart.
    #expect(record.samples != start)
    record.note(.adopted(try SettingsChange(from: settings, to: settings, of: .gateway)), at: 1_000)
    #expect(record.samples == start)
  }
}
