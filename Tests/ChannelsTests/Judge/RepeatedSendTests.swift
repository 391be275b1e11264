import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: repeated sends")
struct RepeatedSendTests {
  @Test("a repetition returns the first message and sends nothing", arguments: [false, true])
  func repeats(isEphemeral: Bool) throws {
    let rig = try JudgeRig(ephemeral: isEphemeral)
    let first = try #require(try rig.perform(.send("one", "r"), by: "ann").sent)
    let second = try #require(try rig.perform(.send("two", "r"), by: "ann").sent)
    #expect(second.message == first.message && second.seq == first.seq)
    #expect(second.arrival == (isEphemeral ? .joined : .repeated))
    #expect(rig.events.count == 1 && rig.tally.repeated == 1)
  }

  @Test("a repetition of a pending send waits for it", arguments: [false, true])
  func joins(fails: Bool) throws {
    let rig = try JudgeRig()
    let first = rig.begin(.send("one", "r"), by: .participant("ann"))
    let second = rig.begin(.send("one", "r"), by: .participant("ann", session: 2))
    #expect(rig.requests.count == 1)
    if fails { rig.failNext(.unavailable("")) } else { rig.answerNext() }
    #expect(rig.answers[first]?.code == (fails ? .internalError : nil))
    #expect(rig.answers[second]?.code == rig.answers[first]?.code)
    #expect(rig.answers[second]?.sent?.message.id == rig.answers[first]?.sent?.message.id)
    #expect(rig.events.count == (fails ? 0 : 1))
  }

  @Test("sends of another user, with another request ID, and admin messages are no repetitions")
  func others() throws {
    let rig = try JudgeRig()
    let outcomes = [
      try rig.perform(.send("x", "r"), by: "ann"), try rig.perform(.send("x", "r"), by: "ben"),
      try rig.perform(.send("x", "s"), by: "ann"),
      try rig.perform(.send("x", "r", type: .admin), by: .platform),
      try rig.perform(.send("x", ""), by: "ann"), try rig.perform(.send("x", ""), by: "ann"),
    ]
    #expect(Set(outcomes.compactMap(\.sent?.message.id)).count == 6)
  }

  @Test("a repetition takes precedence over every refusal, because it was accepted once")
  func beforeRefusals() throws {
    let rig = try JudgeRig()
    let first = try #require(try rig.perform(.send("x", "r"), by: "ann").sent)
    _ = try rig.perform(.ban("ann"), by: "boss")
    rig.handle(.left(userID: "ann"))
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.message == first.message)
    #expect(try rig.perform(.send("x", "other"), by: "ann").code == .banned)
    rig.now += requestIDLifetimeMilliseconds
    #expect(try rig.perform(.send("x", "r"), by: "ann").code == .banned)
  }

  @Test("a repetition of a deleted message does not restore it")
  func withdrawn() throws {
    let rig = try JudgeRig()
    let id = try #require(try rig.perform(.send("x", "r"), by: "ann").sent).message.id
    _ = try rig.perform(.deleteMessage(id), by: "ann")
    #expect(try rig.perform(.send("x", "r"), by: "ann").code == .notFound)
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.perform(.send("x", "r"), by: "ann").code == .notFound)
    #expect(rig.events.filter { $0.method == "message.received" }.count == 1)
  }

  @Test("a repetition does not count in the flood window")
  func isFree() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 2, windowMilliseconds: 1000))
    for _ in 0..<9 { _ = try rig.perform(.send("x", "r"), by: "ann") }
    #expect(try rig.perform(.send("y"), by: "ann").sent != nil)
    #expect(try rig.perform(.send("z"), by: "ann").code == .flood)
  }

  @Test("request IDs survive a restart")
  func afterRestart() throws {
    let rig = try JudgeRig()
    let first = try #require(try rig.perform(.send("x", "r"), by: "ann").sent)
    try rig.restart(users: ["ann"])
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.message.id == first.message.id)
    _ = try rig.perform(.mute("ann"), by: .platform)
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.message.id == first.message.id)
  }

  @Test("the log is informed which requests may have been carried out before")
  func namesRepetitions() throws {
    let rig = try JudgeRig()
    func submitted(_ name: String?) throws -> Bool? {
      _ = rig.begin(.send("x", name), by: .participant("ann"))
      defer { rig.answerAll() }
      guard case .entry(_, .write(.append(let new), _))? = rig.requests.last else { return nil }
      return new.mayBeRepeated
    }
    #expect(try submitted(nil) == false)
    #expect(try submitted("r") == false)
    #expect(try submitted("r") == true)
    #expect(try submitted("s") == false)
    try rig.restart(users: ["ann"])
    #expect(try submitted("t") == true && submitted(nil) == false)
  }

  @Test("a refusal needs a lookup only if the request may have been carried out")
  func looksUpSeldom() throws {
    let rig = try JudgeRig(frozen: true)
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    #expect(rig.requests.isEmpty && rig.answers[call]?.code == .frozen)
  }

  @Test("if the lookup fails, the response does not claim that nothing was sent")
  func lookUpFails() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.send("x", "r"), by: "ann")
    _ = try rig.perform(.mute("ann"), by: "boss")
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.unavailable(""))
    let answer = rig.answers[call]
    #expect(answer?.code == .internalError && answer?.error?.data.outcome == "unknown")
    #expect(rig.tally.refused.muted == 0 && rig.tally.failed == 1)
  }
}
