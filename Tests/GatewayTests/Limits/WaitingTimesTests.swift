import Configuration
import Testing

@testable import Gateway

@Suite("Timeouts of messages and calls")
struct WaitingTimesTests {
  private func settings(callTimeout: Int64, _ bus: BusPlace?) -> Settings {
    var settings = Settings()
    settings.limits.sendWaitMilliseconds = 20_000
    settings.translation.timeoutMilliseconds = 30_000
    settings.cluster.callTimeoutMilliseconds = callTimeout
    settings.cluster.bus = bus
    return settings
  }

  @Test("a single server waits as long as configured")
  func alone() {
    let settings = settings(callTimeout: 1_000, nil)
    #expect(settings.sendWaitMilliseconds == 20_000)
    #expect(settings.translationTimeoutMilliseconds == 30_000)
  }

  @Test("in a cluster, no server waits longer than half the timeout of a call between servers")
  func several() {
    let short = settings(callTimeout: 10_000, .postgreSQL)
    #expect(short.sendWaitMilliseconds == 5_000)
    #expect(short.translationTimeoutMilliseconds == 5_000)
    let long = settings(callTimeout: 600_000, .postgreSQL)
    #expect(long.sendWaitMilliseconds == 20_000)
    #expect(long.translationTimeoutMilliseconds == 30_000)
  }
}
