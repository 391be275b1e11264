import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: mutes and bans")
struct ModerationTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test("a ban is published with the user, who is then removed")
  mutating func ban() throws {
    let outcome = try rig.perform(.ban("ann", seconds: 60, "spam"), by: "boss")
    #expect(outcome.imposed?.user.nickname == "ANN")
    #expect(outcome.imposed?.restriction.endsAt == rig.now + 60_000)
    let event = try #require(rig.events.first)
    #expect(event.method == "channel.user_banned" && event.seq == 1)
    #expect(event.params?["seconds"]?.integer == 60)
    #expect(event.params?["description"]?.string == "spam")
    guard case .expulsion(ofUser: "ann") = event.subject else { return #expect(Bool(false)) }
  }

  @Test("a banned user may not enter until the ban ends")
  mutating func entering() throws {
    _ = try rig.perform(.ban("ann", seconds: 60), by: "boss")
    #expect(throws: ServiceError.banned("lobby")) {
      try rig.requireEntering("ann", at: rig.now + 59_999)
    }
    try rig.requireEntering("ann", at: rig.now + 60_000)
    try rig.requireEntering("ben", at: rig.now)
  }

  @Test("−1 seconds stands for ten years")
  mutating func tenYears() throws {
    let outcome = try rig.perform(.mute("ann"), by: "boss")
    #expect(outcome.imposed?.restriction.endsAt == rig.now + 315_360_000_000)
    #expect(rig.events[0].params?["seconds"]?.integer == 315_360_000)
  }

  @Test("a muted user stays in the channel")
  mutating func mute() throws {
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(rig.events.map(\.method) == ["channel.user_muted"])
    guard case .announcement = rig.events[0].subject else { return #expect(Bool(false)) }
    try rig.requireEntering("ann", at: rig.now)
  }

  @Test("lifting a restriction is published only if there was one")
  mutating func lifting() throws {
    #expect(try rig.perform(.unmute(userID: "ann"), by: "boss").lifted == false)
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.perform(.unmute(userID: "ann"), by: "boss").lifted == true)
    #expect(rig.events.map(\.method) == ["channel.user_muted", "channel.user_unmuted"])
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(try rig.perform(.unban(userID: "ann"), by: "boss").lifted == true)
    #expect(rig.events.last?.method == "channel.user_unbanned")
  }

  @Test("only existing users can be restricted")
  mutating func unknownUser() throws {
    for command in [
      ChannelCommand.ban("nobody"), .mute("nobody"), .unban(userID: "nobody"),
      .unmute(userID: "nobody"),
    ] {
      #expect(try rig.perform(command, by: "boss").code == .notFound)
    }
    #expect(rig.events.isEmpty && rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
  }

  @Test("a new restriction replaces the previous one")
  mutating func replaces() throws {
    _ = try rig.perform(.mute("ann", seconds: 100), by: "boss")
    _ = try rig.perform(.mute("ann", seconds: 1), by: "boss")
    rig.now += 1_000
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
  }

  @Test("the back end changes an active ban: omitted fields stay")
  mutating func changesBan() throws {
    let change = ChannelCommand.changeBan(userID: "ann", seconds: nil, description: "new")
    let outcome = try rig.perform(change, by: .platform)
    #expect(outcome.code == .notFound && outcome.error?.message.contains("no ban") == true)
    let first = try #require(try rig.perform(.ban("ann", seconds: 60), by: .platform).imposed)
    rig.now += 10
    let second = try #require(try rig.perform(change, by: .platform).imposed).restriction
    #expect(second.endsAt == first.restriction.endsAt && second.startsAt == rig.now)
    #expect(second.description == "new")
    let longer = ChannelCommand.changeBan(userID: "ann", seconds: 90, description: nil)
    let third = try #require(try rig.perform(longer, by: .platform).imposed).restriction
    #expect(third.endsAt == rig.now + 90_000 && third.description == "new")
    rig.now += 90_000
    #expect(try rig.perform(change, by: .platform).code == .notFound)
  }

  @Test("restrictions are removed with a deleted user")
  mutating func deletedUser() throws {
    _ = try rig.perform(.mute("ann"), by: "boss")
    _ = try rig.perform(.ban("ann"), by: "boss")
    rig.handle(.restrictionsRemoved(of: "ann"))
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
  }

  @Test("restrictions survive a restart")
  mutating func restart() throws {
    _ = try rig.perform(.mute("ann"), by: "boss")
    _ = try rig.perform(.ban("ben"), by: "boss")
    try rig.restart(users: ["ann", "ben"])
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
    #expect(try rig.perform(.send("x"), by: "ben").code == .banned)
    #expect(rig.restriction(.ban, of: "ben", at: rig.now) != nil)
  }

  @Test("the check for sending lists all obstacles, in the order in which a sender meets them")
  mutating func sendCheck() throws {
    rig.handle(.floodLimitChanged(RateLimit(count: 1, windowMilliseconds: 1000)))
    _ = try rig.perform(.send("x"), by: "ann")
    _ = try rig.perform(.mute("ann", seconds: 5), by: .platform)
    _ = try rig.perform(.freeze, by: .platform)
    rig.handle(.left(userID: "ann"))
    _ = try rig.perform(.ban("ann", seconds: 6), by: .platform)
    let check = rig.sendCheck(of: "ann", at: rig.now + 400)
    #expect(check.refusals.map(\.error.code) == [.banned, .notInChannel, .frozen, .muted, .flood])
    #expect(
      check.refusals.map { $0.restriction?.endsAt } == [
        rig.now + 6_000, nil, nil, rig.now + 5_000, nil,
      ])
    #expect(check.sends == SendCheck.Window(used: 1, wait: 600) && check.changes.used == 0)
    #expect(!check.isParticipant && !check.isOperator && !check.isExempt)
    let first = try #require(check.refusals.first).error
    #expect(try rig.perform(.send("y"), by: "ann").error == first)
  }

  @Test("running the check changes nothing")
  mutating func sendCheckIsPure() throws {
    for _ in 0..<20 { #expect(rig.sendCheck(of: "ann", at: rig.now).refusals.isEmpty) }
    #expect(try rig.perform(.send("y"), by: "ann").sent != nil)
  }
}
