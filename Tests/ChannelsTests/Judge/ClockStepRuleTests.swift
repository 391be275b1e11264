import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("A judge whose clock is changed")
struct ClockStepRuleTests {
  private static let hour: Int64 = 3_600_000
  private let two = RateLimit(count: 2, windowMilliseconds: 1_000)

  private func step(_ rig: JudgeRig, by step: Int64) {
    rig.now += step
    rig.stepped += step
  }

  @Test(
    "a clock step neither fills nor empties a flood window", arguments: [hour, -hour] as [Int64])
  func floodWindow(by size: Int64) throws {
    let rig = try JudgeRig(limit: two)
    for _ in 0..<2 { #expect(try rig.perform(.send("x"), by: "ann").code == nil) }
    step(rig, by: size)
    let refusal = try #require(try rig.perform(.send("x"), by: "ann").error)
    #expect(refusal.code == .flood && refusal.data.retryAfterMilliseconds == 1_000)
    rig.now += 1_000
    #expect(try rig.perform(.send("x"), by: "ann").code == nil)
  }

  @Test(
    "a clock step neither fills nor empties the window of changes",
    arguments: [hour, -hour] as [Int64])
  func changeWindow(by size: Int64) throws {
    let rig = try JudgeRig(limit: two)
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
    #expect(try rig.perform(.unfreeze, by: "boss").code == nil)
    step(rig, by: size)
    #expect(try rig.perform(.freeze, by: "boss").code == .flood)
    rig.now += 1_000
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
  }

  @Test("after a step back created_at continues from the newest message, at almost normal pace")
  func createdAt() throws {
    let rig = try JudgeRig()
    let first = try #require(try rig.perform(.send("1"), by: "ann").sent).message.createdAt
    step(rig, by: -Self.hour)
    rig.now += 1_000
    let second = try #require(try rig.perform(.send("2"), by: "ann").sent).message.createdAt
    #expect(second == first + 900)
    rig.now += 2 * Self.hour
    let third = try #require(try rig.perform(.send("3"), by: "ann").sent).message.createdAt
    #expect(third == rig.now)
  }

  @Test("after a restart with an earlier clock, the flood window limits messages as before")
  func restart() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.send("0"), by: "ann")
    step(rig, by: -2 * Self.hour)
    try rig.restart(users: ["ann"])
    var times: [Int64] = []
    for number in 1...14 {
      rig.now += 1_300
      let sent = try #require(try rig.perform(.send("\(number)"), by: "ann").sent)
      times.append(sent.message.createdAt)
    }
    var window = SlidingWindow()
    let limit = RateLimit(count: 1, windowMilliseconds: 1_000)
    #expect(times.allSatisfy { window.admit(at: $0, limit: limit) == nil })
  }

  @Test("after a restart with an earlier clock, old sends do not fill the window")
  func restartWindow() throws {
    let rig = try JudgeRig(limit: two)
    for text in ["1", "2"] { _ = try rig.perform(.send(text), by: "ann") }
    rig.now += 5_000
    _ = try rig.perform(.send("3"), by: "ann")
    step(rig, by: -2 * Self.hour)
    try rig.restart(limit: two, users: ["ann"])
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 1)
    #expect(try rig.perform(.send("4"), by: "ann").code == nil)
    #expect(try rig.perform(.send("5"), by: "ann").code == .flood)
  }

  @Test("an edit after a step back is not dated before its message")
  func updatedAt() throws {
    let rig = try JudgeRig()
    let message = try #require(try rig.perform(.send("1"), by: "ann").sent).message
    step(rig, by: -Self.hour)
    let edit = ChannelCommand.updateMessage(message.id, MessageChanges(text: "2"))
    let changed = try #require(try rig.perform(edit, by: "ann").changed)
    #expect(changed.updatedAt == message.createdAt)
  }

  @Test("mutes end according to the adjusted clock")
  func mutes() throws {
    let rig = try JudgeRig()
    #expect(try rig.perform(.mute("ann", seconds: 600), by: "boss").code == nil)
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
    step(rig, by: Self.hour)
    #expect(try rig.perform(.send("x"), by: "ann").code == nil)
    step(rig, by: -Self.hour)
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
  }
}
