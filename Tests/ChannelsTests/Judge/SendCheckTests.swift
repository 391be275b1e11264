import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The check for sending")
struct SendCheckTests {
  private let long = RateLimit(count: 2, windowMilliseconds: 3_600_000)

  private func check(_ userID: String, in rig: JudgeRig) -> SendCheck {
    rig.sendCheck(of: userID, at: rig.now)
  }

  @Test("the first reason listed is the error that the sender gets")
  func agrees() throws {
    let rig = try JudgeRig()
    let steps: [(JudgeRig) throws -> Void] = [
      { _ = try $0.perform(.mute("ann"), by: .platform) },
      { _ = try $0.perform(.freeze, by: .platform) }, { $0.handle(.left(userID: "ann")) },
      { _ = try $0.perform(.ban("ann"), by: .platform) },
    ]
    for step in steps {
      try step(rig)
      let expected = try #require(check("ann", in: rig).refusals.first).error
      #expect(try rig.perform(.send("x"), by: "ann").error == expected)
    }
  }

  @Test("changes have their own window")
  func changes() throws {
    let rig = try JudgeRig(limit: long, exemptsOperators: true)
    let id = try #require(
      try rig.perform(.send("x"), by: .platform(onBehalfOf: User(id: "ann"))).sent
    ).message.id
    for text in ["1", "2"] {
      _ = try rig.perform(.updateMessage(id, MessageChanges(text: text)), by: "ann")
    }
    #expect(check("ann", in: rig).changes.used == 2 && check("ann", in: rig).changes.wait > 0)
    #expect(check("ann", in: rig).sends == SendCheck.Window(used: 0, wait: 0))
    #expect(
      try rig.perform(.updateMessage(id, MessageChanges(text: "3")), by: "ann").code == .flood)
    for number in 0..<9 {
      let changes = MessageChanges(text: "boss \(number)")
      #expect(try rig.perform(.updateMessage(id, changes), by: "boss").changed != nil)
      #expect(try rig.perform(.updateMessage(id, changes), by: .platform).changed != nil)
    }
  }

  @Test("an exempt operator never waits")
  func exempt() throws {
    let rig = try JudgeRig(limit: long, exemptsOperators: true)
    for _ in 0..<9 { #expect(try rig.perform(.send("x"), by: "boss").sent != nil) }
    #expect(check("boss", in: rig).isExempt && check("boss", in: rig).refusals.isEmpty)
    #expect(check("boss", in: rig).sends.wait == 0)
  }

  @Test("a message would get the time of the last one if the clock was set back")
  func createdAt() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.send("x"), by: "ann")
    let time = rig.now
    rig.now -= 1_000
    #expect(check("ann", in: rig).createdAt == time)
  }
}
