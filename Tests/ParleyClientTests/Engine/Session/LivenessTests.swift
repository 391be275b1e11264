import Testing

@testable import ParleyClient

@Suite("Liveness")
struct LivenessTests {
  @Test("a ping is due after 1.5 intervals of silence, and its pong within ten seconds")
  func pings() {
    var liveness = Liveness(pingInterval: 25_000, now: 0)
    #expect(liveness.deadline == 37_500)
    #expect(liveness.judge(at: 37_499) == .alive)
    #expect(liveness.judge(at: 37_500) == .pingDue)
    #expect(liveness.judge(at: 47_499) == .alive)
    liveness.receive(at: 47_499)
    #expect(liveness.deadline == 84_999)
    #expect(liveness.judge(at: 84_999) == .pingDue)
    #expect(liveness.judge(at: 94_999) == .lost)
  }

  @Test("an unanswered request makes the ping due sooner")
  func requests() {
    var liveness = Liveness(pingInterval: 25_000, now: 0)
    liveness.ask(at: 20_000)
    liveness.ask(at: 21_000)
    #expect(liveness.judge(at: 22_499) == .alive)
    #expect(liveness.judge(at: 22_500) == .pingDue)
    #expect(liveness.deadline == 27_500)
    liveness.receive(at: 27_000)
    #expect(liveness.deadline == 64_500)
  }

  @Test("a request after a ping shortens the wait for the pong")
  func requestAfterPing() {
    var liveness = Liveness(pingInterval: 25_000, now: 0)
    #expect(liveness.judge(at: 37_500) == .pingDue)
    liveness.ask(at: 38_000)
    #expect(liveness.judge(at: 42_999) == .alive)
    #expect(liveness.judge(at: 43_000) == .lost)
  }

  @Test(
    "an implausible interval is moved into the valid range", arguments: [Int64.min, -1, 0, .max])
  func nonsense(interval: Int64) {
    let liveness = Liveness(pingInterval: interval, now: 5)
    #expect((1005...600_005).contains(liveness.deadline))
  }
}
