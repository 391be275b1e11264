import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of mutes and bans")
struct RestrictionRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test("a replaced mute is published again, with its new duration and description")
  mutating func muteAgain() throws {
    _ = try rig.perform(.mute("ann", seconds: 10, "first"), by: "boss")
    rig.now += 4_000
    _ = try rig.perform(.mute("ann", seconds: 20, "second"), by: "boss")
    #expect(rig.events.map(\.method) == ["channel.user_muted", "channel.user_muted"])
    #expect(rig.events.map { $0.params?["seconds"]?.integer } == [10, 20])
    #expect(rig.events.map { $0.params?["description"]?.string } == ["first", "second"])
    #expect(rig.events[1].params?["user"]?["nickname"]?.string == "ANN")
    rig.now += 19_999
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
    rig.now += 1
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
  }

  @Test("a replaced ban is published again, and its user is removed again")
  mutating func banAgain() throws {
    for seconds in [Int64(10), 5] { _ = try rig.perform(.ban("ann", seconds: seconds), by: "boss") }
    #expect(rig.events.map { $0.params?["seconds"]?.integer } == [10, 5])
    for event in rig.events {
      guard case .expulsion(ofUser: "ann") = event.subject else { return #expect(Bool(false)) }
    }
    try rig.requireEntering("ann", at: rig.now + 5_000)
  }

  @Test("a restriction is looked up by its kind")
  mutating func kinds() throws {
    _ = try rig.perform(.mute("ann", seconds: 10), by: "boss")
    _ = try rig.perform(.ban("ben", seconds: 10), by: "boss")
    #expect(rig.restriction(.mute, of: "ann", at: rig.now)?.seconds == 10)
    #expect(rig.restriction(.ban, of: "ann", at: rig.now) == nil)
    #expect(rig.restriction(.mute, of: "ben", at: rig.now) == nil)
    #expect(rig.restriction(.ban, of: "ben", at: rig.now + 10_000) == nil)
  }

  @Test("lifting one kind of restriction keeps the other")
  mutating func liftsOne() throws {
    _ = try rig.perform(.mute("ann"), by: "boss")
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(try rig.perform(.unban(userID: "ann"), by: "boss").lifted == true)
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
    _ = try rig.perform(.ban("ben"), by: "boss")
    _ = try rig.perform(.mute("ben"), by: .platform)
    #expect(try rig.perform(.unmute(userID: "ben"), by: .platform).lifted == true)
    #expect(try rig.perform(.send("x"), by: "ben").code == .banned)
  }

  @Test("a restriction that has ended is not lifted, and no event is published")
  mutating func liftsEnded() throws {
    _ = try rig.perform(.mute("ann", seconds: 1), by: "boss")
    rig.now += 1_000
    #expect(try rig.perform(.unmute(userID: "ann"), by: "boss").lifted == false)
    #expect(rig.events.count == 1)
  }

  @Test("the event that lifts a restriction contains only the user")
  mutating func liftedEvent() throws {
    for command in [ChannelCommand.mute("ann"), .unmute(userID: "ann")] {
      _ = try rig.perform(command, by: "boss")
    }
    let params = try #require(rig.events.last?.params)
    #expect(params["user"]?["user_id"]?.string == "ann" && params["seconds"] == nil)
    #expect(params["description"] == nil && rig.events.last?.author == nil)
  }

  @Test("users who are not in the channel can be muted and banned")
  mutating func absentUsers() throws {
    #expect(try rig.perform(.mute("away"), by: "boss").imposed != nil)
    #expect(try rig.perform(.ban("away"), by: "boss").imposed != nil)
    #expect(throws: ServiceError.banned("lobby")) {
      try rig.requireEntering("away", at: rig.now)
    }
  }

  @Test("operators can be muted and banned like other users")
  mutating func operators() throws {
    _ = try rig.perform(.mute("boss"), by: .platform)
    #expect(try rig.perform(.send("x"), by: "boss").code == .muted)
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
    _ = try rig.perform(.ban("boss"), by: .platform)
    #expect(try rig.perform(.send("x"), by: "boss").code == .banned)
  }

  @Test("a mute does not block messages that the back end sends for the user")
  mutating func platform() throws {
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.perform(.send("x"), by: .platform(onBehalfOf: User(id: "ann"))).sent != nil)
  }

  @Test("a muted user may enter and read, a banned user may only read")
  mutating func reading() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ben").sent).message.id
    _ = try rig.perform(.mute("ann"), by: "boss")
    try rig.requireEntering("ann", at: rig.now)
    _ = try rig.perform(.ban("ann"), by: "boss")
    for command in [ChannelCommand.view, .viewMessage(id)] {
      #expect(try rig.perform(command, by: "ann").code == nil)
    }
    try rig.requireKeptMessages()
  }

  @Test("the event reports ten years if no duration was given")
  mutating func defaultLength() throws {
    _ = try rig.perform(.ban("ann"), by: "boss")
    let params = try #require(rig.events.last?.params)
    #expect(params["seconds"]?.integer == 315_360_000 && params["description"]?.string == "")
  }

  @Test("the longest restriction lasts 68 years and does not overflow")
  mutating func longest() throws {
    let seconds = Limits.restrictionSeconds
    let imposed = try #require(try rig.perform(.mute("ann", seconds: seconds), by: "boss").imposed)
    #expect(imposed.restriction.seconds == seconds)
    #expect(rig.events[0].params?["seconds"]?.integer == seconds)
  }

  @Test("a mute or ban while a message is being written does not affect that message")
  mutating func onItsWay() throws {
    let send = rig.begin(.send("x"), by: .participant("ann"))
    let ban = rig.begin(.ban("ann"), by: .platform)
    rig.answerAll()
    #expect(rig.answers[send]?.sent?.seq == 1 && rig.answers[ban]?.imposed != nil)
    #expect(rig.events.map(\.method) == ["message.received", "channel.user_banned"])
  }

  @Test("a restriction takes effect when it is durable")
  mutating func durable() throws {
    rig.begin(.mute("ann"), by: .platform)
    #expect(rig.sendCheck(of: "ann", at: rig.now).refusals.isEmpty)
    rig.answerAll()
    #expect(rig.sendCheck(of: "ann", at: rig.now).refusals.map(\.error.code) == [.muted])
  }

  @Test("a restriction that the log could not write has no effect")
  mutating func failed() throws {
    for command in [ChannelCommand.mute("ann"), .ban("ann")] {
      let call = rig.begin(command, by: .participant("boss"))
      rig.failNext(.unavailable(""))
      #expect(rig.answers[call]?.code == .internalError)
    }
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
  }

  @Test("a restriction that could not be lifted stays in effect")
  mutating func failedLifting() throws {
    _ = try rig.perform(.mute("ann"), by: .platform)
    rig.begin(.unmute(userID: "ann"), by: .platform)
    rig.failNext(.overloaded)
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
  }

  @Test("a changed ban is published like a new one; omitted fields stay")
  mutating func changedBan() throws {
    _ = try rig.perform(.ban("ann", seconds: 60, "spam"), by: .platform)
    rig.now += 20_000
    let change = ChannelCommand.changeBan(userID: "ann", seconds: nil, description: "spam, twice")
    _ = try rig.perform(change, by: .platform)
    let params = try #require(rig.events.last?.params)
    #expect(params["description"]?.string == "spam, twice" && params["seconds"]?.integer == 40)
    guard case .expulsion(ofUser: "ann")? = rig.events.last?.subject else {
      return #expect(Bool(false))
    }
  }

  @Test("only active bans can be changed, and only by operators")
  mutating func changedBanRefused() throws {
    let change = ChannelCommand.changeBan(userID: "ann", seconds: 9, description: nil)
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.perform(change, by: "boss").code == .notFound)
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(try rig.perform(change, by: "ben").code == .notAllowed)
    #expect(try rig.perform(change, by: "boss").imposed?.restriction.seconds == 9)
  }
}
