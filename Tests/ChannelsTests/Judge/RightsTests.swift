import ParleyProtocol
import Testing

@testable import Channels

@Suite("Rights in a channel")
struct RightsTests {
  private var rights: Rights
  private let jeff = Principal.participant("jeff")
  private let boss = Principal.participant("boss")
  private let away = Principal.participant("away")
  private let platform = Principal.platform(onBehalfOf: User(id: "jeff"))

  init() {
    rights = Self.rights(isEphemeral: false)
  }

  private static func rights(
    isEphemeral: Bool, exemptsOperators: Bool = false
  ) -> Rights {
    let channel = Channel(
      url: "lobby", isEphemeral: isEphemeral, operators: [User(id: "boss")], createdAt: 0)
    var rights = Rights(
      ChannelState(id: 1, channel: channel, epoch: "epoch"), nil,
      exemptsOperators: exemptsOperators)
    rights.enter("jeff")
    rights.enter("boss")
    return rights
  }

  private func code(_ body: () throws(ServiceError) -> Void) -> ErrorCode? {
    do throws(ServiceError) { try body() } catch { return error.code }
    return nil
  }

  private func operating(_ principal: Principal) -> ErrorCode? {
    code { () throws(ServiceError) in try rights.requireOperating(principal) }
  }

  private func sending(_ principal: Principal) -> ErrorCode? {
    code { () throws(ServiceError) in try rights.requireSending(principal, at: 0) }
  }

  private func editing(_ principal: Principal) -> ErrorCode? {
    code { () throws(ServiceError) in try rights.requireEditing(principal, at: 0) }
  }

  private func counting(_ principal: Principal) -> ErrorCode? {
    code { () throws(ServiceError) in try rights.requireCounting(principal, at: 0) }
  }

  private mutating func freeze(_ isFrozen: Bool) {
    var channel = rights.channel
    channel.isFrozen = isFrozen
    rights.apply(channel)
  }

  private func forever(_ userID: String) -> Restriction {
    Restriction(userID: userID, startsAt: 0, endsAt: .max)
  }

  @Test("only operators and the Platform API operate a channel")
  mutating func operating() {
    #expect(operating(jeff) == .notAllowed)
    #expect(operating(boss) == nil)
    #expect(operating(platform) == nil)
    rights.delete()
    #expect(operating(platform) == .notFound)
  }

  @Test("absence, freezing and muting block participants, not the Platform API")
  mutating func sending() {
    #expect(sending(jeff) == nil)
    #expect(sending(away) == .notInChannel)
    freeze(true)
    #expect(sending(jeff) == .frozen)
    #expect(sending(boss) == nil)
    freeze(false)
    rights.impose(.mute, forever("jeff"))
    #expect(sending(jeff) == .muted)
    freeze(true)
    #expect(sending(platform) == nil)
  }

  @Test("users who may send may add values of extra data, users who may edit may add keys")
  mutating func extraData() {
    #expect(counting(jeff) == nil && counting(platform) == nil)
    #expect(counting(away) == .notInChannel)
    #expect(editing(away) == nil)
    freeze(true)
    #expect(counting(jeff) == .frozen && counting(boss) == nil && counting(platform) == nil)
    rights.impose(.mute, forever("boss"))
    #expect(counting(boss) == .muted)
    rights.impose(.ban, forever("jeff"))
    #expect(counting(jeff) == .banned)
    #expect(editing(jeff) == .banned)
  }

  @Test("an ephemeral channel has no messages to change")
  mutating func ephemeral() {
    rights = Self.rights(isEphemeral: true)
    for principal in [jeff, boss, platform] {
      #expect(counting(principal) == .notFound && editing(principal) == .notFound)
    }
    #expect(sending(jeff) == nil)
  }

  @Test("a ban applies to every API, except for the administrator")
  mutating func bans() {
    rights.impose(.ban, forever("jeff"))
    #expect(sending(jeff) == .banned)
    #expect(sending(platform) == .banned)
    #expect(sending(.platform(onBehalfOf: nil)) == nil)
    #expect(
      code { () throws(ServiceError) in try rights.requireEntering("jeff", at: 0) } == .banned)
  }

  @Test(
    "the flood limit exempts the Platform API; only operators and the API change others' messages")
  func messages() {
    #expect(rights.isFloodLimited(jeff))
    #expect(rights.isFloodLimited(boss))
    #expect(!rights.isFloodLimited(platform))
    let message = Message(
      id: 1, channelURL: "lobby", user: User(id: "boss"), text: "", createdAt: 0)
    for (principal, expected) in [(jeff, ErrorCode.notAllowed), (boss, nil), (platform, nil)] {
      let right = rights.changeRight(of: principal)
      #expect(code { () throws(ServiceError) in try right.require(message) } == expected)
    }
  }

  @Test("operators are exempt from the flood limit where configured")
  func exemption() {
    let rights = Self.rights(isEphemeral: false, exemptsOperators: true)
    #expect(rights.isFloodLimited(jeff) && !rights.isFloodLimited(boss))
  }

  @Test("a channel has at most 10,000 active bans and as many mutes; ended ones do not count")
  mutating func boundsRestrictions() {
    for number in 0..<Limits.restrictionCount {
      rights.impose(
        .ban, Restriction(userID: "u\(number)", startsAt: 0, endsAt: number == 7 ? 50 : 100))
    }
    func room(_ kind: RestrictionKind, _ userID: String, _ now: Int64) -> ErrorCode? {
      code { () throws(ServiceError) in try rights.requireRoom(for: kind, of: userID, at: now) }
    }
    #expect(room(.ban, "jeff", 49) == .tooManyItems)
    #expect(room(.ban, "u3", 49) == nil)
    #expect(room(.mute, "jeff", 49) == nil)
    #expect(room(.ban, "jeff", 50) == nil)
    rights.impose(.ban, Restriction(userID: "jeff", startsAt: 50, endsAt: 100))
    #expect(room(.ban, "cat", 50) == .tooManyItems)
    rights.lift(.ban, of: "u1")
    #expect(room(.ban, "cat", 50) == nil)
  }

  @Test("a ban beyond the limit is refused before the log is called")
  func refusesRestrictions() {
    var rights = rights
    for number in 0..<Limits.restrictionCount {
      rights.impose(.ban, Restriction(userID: "u\(number)", startsAt: 0, endsAt: 100))
    }
    for (userID, expected) in [("jeff", ErrorCode.tooManyItems), ("u3", nil)] {
      let operation = ChannelOperation.restrict(
        .ban, ChannelRestriction(userID: userID, seconds: 1, description: ""))
      #expect(
        code { () throws(ServiceError) in
          _ = try operation.changes(
            by: .platform, in: rights, under: GroupRules(), at: 5, visibleFrom: 5)
        } == expected)
    }
  }
}
