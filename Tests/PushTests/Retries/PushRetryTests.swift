import Testing

@testable import Push

@Suite("Attempts of a push")
struct PushAttemptsTests {
  private let hour: Int64 = 3_600_000

  private func receive(
    _ attempts: inout PushAttempts, _ outcome: PushOutcome, at now: Int64 = 0,
    random: UInt64 = .max
  ) -> PushStep {
    attempts.receive(outcome, at: now, maximumAge: hour, random: random)
  }

  @Test("outcomes that end a push")
  func ends() {
    let fault = PushFault(0)
    let ends: [(PushOutcome, PushStep)] = [
      (.sent, .finished(.sent, forgets: false)),
      (.forgetToken(fault), .finished(.rejected, forgets: true)),
      (.alarm(fault), .finished(.failed, forgets: false)),
      (.failed(fault), .finished(.failed, forgets: false)),
    ]
    for (outcome, step) in ends {
      var attempts = PushAttempts(createdAt: 0)
      #expect(receive(&attempts, outcome) == step)
    }
  }

  @Test("waits double from 1 s to 5 min, with jitter, until the message is too old")
  func waits() {
    let wait = PushOutcome.wait(after: nil, PushFault(503))
    for random in [UInt64(0), 12_345, .max] {
      var attempts = PushAttempts(createdAt: 0)
      var (now, ceiling, count) = (Int64(0), Int64(1_000), 0)
      while true {
        let step = receive(&attempts, wait, at: now, random: random)
        guard case .again(let time) = step else {
          #expect(step == .finished(.expired, forgets: false))
          break
        }
        #expect((ceiling / 2...ceiling).contains(time - now))
        #expect(time <= hour)
        (now, ceiling, count) = (time, min(2 * ceiling, 300_000), count + 1)
      }
      #expect((18...36).contains(count) && now > hour - 300_000)
    }
  }

  @Test("Retry-After is a lower bound, and may be longer than the message lives")
  func requestedWaits() {
    var attempts = PushAttempts(createdAt: 0)
    let fault = PushFault(429)
    #expect(receive(&attempts, .wait(after: 120_000, fault)) == .again(at: 120_000))
    #expect(
      receive(&attempts, .wait(after: 0, fault), at: 120_000, random: 0) == .again(at: 121_000))
    #expect(
      receive(&attempts, .wait(after: 86_400_000, fault), at: 122_000)
        == .finished(.expired, forgets: false))
  }

  @Test("a paused host postpones a push until it is too old, without a failure")
  func postponed() {
    let attempts = PushAttempts(createdAt: 0)
    #expect(attempts.postponed(by: 30_000, at: 5, maximumAge: hour) == .again(at: 30_005))
    #expect(attempts.postponed(by: nil, at: 5, maximumAge: hour) == .again(at: 1_005))
    #expect(
      attempts.postponed(by: 30_000, at: hour, maximumAge: hour)
        == .finished(.expired, forgets: false))
    #expect(PushOutcome.unanswered("refused") == .wait(after: nil, PushFault(0, "refused")))
  }

  @Test("a credential is renewed once")
  func renewal() {
    var attempts = PushAttempts(createdAt: 0)
    let expired = PushOutcome.renewCredential(PushFault(403))
    #expect(receive(&attempts, expired) == .againWithNewCredential)
    #expect(receive(&attempts, expired) == .finished(.failed, forgets: false))
  }

  @Test("a message that is too large is sent once without a body")
  func tooLarge() {
    var attempts = PushAttempts(createdAt: 0)
    let tooLarge = PushOutcome.tooLarge(PushFault(413))
    #expect(!attempts.isWithoutBody)
    #expect(receive(&attempts, tooLarge) == .againWithoutBody && attempts.isWithoutBody)
    #expect(receive(&attempts, tooLarge) == .finished(.failed, forgets: false))
  }
}

@Suite("Paused hosts")
struct HostCircuitsTests {
  private let failure = PushOutcome.wait(after: nil, PushFault(503))

  /// Fails at a host; returns whether it is paused by it.
  private func fail(_ circuits: inout HostCircuits, _ host: String, at now: Int64) -> Bool? {
    guard case .admitted(let ticket) = circuits.admit(to: host, at: now) else { return nil }
    return circuits.receive(failure, from: host, ticket, at: now, jitter: 0)
  }

  @Test("20 failures in a row pause a host, and no other")
  func pause() {
    var circuits = HostCircuits()
    for _ in 0..<19 { #expect(fail(&circuits, "a", at: 0) == false) }
    #expect(fail(&circuits, "a", at: 0) == true)
    #expect(circuits.admit(to: "a", at: 1) == .paused(29_999))
    #expect(fail(&circuits, "b", at: 1) == false)
    #expect(circuits.states.map(\.host) == ["a", "b"])
    #expect(circuits.states.map(\.isPaused) == [true, false])
  }

  @Test("any answer ends the row, also one that refuses the push")
  func row() {
    var circuits = HostCircuits()
    for outcome in [PushOutcome.sent, .forgetToken(PushFault(410)), .failed(PushFault(400))] {
      for _ in 0..<19 { #expect(fail(&circuits, "a", at: 0) == false) }
      guard case .admitted(let ticket) = circuits.admit(to: "a", at: 0) else { return }
      let isPaused = circuits.receive(outcome, from: "a", ticket, at: 0, jitter: 0)
      #expect(!isPaused)
      #expect(circuits.states.isEmpty)
    }
  }

  @Test("after the pause one push tries the host")
  func halfOpen() {
    var circuits = HostCircuits()
    for _ in 0..<20 { _ = fail(&circuits, "a", at: 0) }
    guard case .admitted(let ticket) = circuits.admit(to: "a", at: 30_000) else {
      Issue.record("still paused")
      return
    }
    #expect(circuits.admit(to: "a", at: 30_000) == .paused(nil))
    circuits.withdraw(ticket, from: "a", at: 30_000)
    #expect(fail(&circuits, "a", at: 30_000) == true)
    #expect(circuits.admit(to: "a", at: 89_999) == .paused(1))
    guard case .admitted(let next) = circuits.admit(to: "a", at: 90_000) else {
      Issue.record("still paused")
      return
    }
    _ = circuits.receive(.sent, from: "a", next, at: 90_000, jitter: 0)
    #expect(circuits.states.isEmpty)
  }

  @Test("pushes that were on their way when the host was paused change nothing")
  func late() {
    var circuits = HostCircuits()
    let early = (0..<40).map { _ in circuits.admit(to: "a", at: 0) }
    var pauses = 0
    for case .admitted(let ticket) in early
    where circuits.receive(failure, from: "a", ticket, at: 10, jitter: 0) {
      pauses += 1
    }
    #expect(pauses == 1)
    #expect(circuits.admit(to: "a", at: 11) == .paused(29_999))
  }

  @Test("made-up hosts take bounded memory")
  func memory() {
    var circuits = HostCircuits()
    for index in 0..<10_000 { _ = fail(&circuits, "host\(index)", at: 0) }
    #expect(circuits.states.count <= 1_024)
  }
}
