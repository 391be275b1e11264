import Channels
import ParleyProtocol
import Store
import Testing

@testable import Gateway

@Suite("Rights in a channel")
struct HomeChannelRightsTests {
  private let driven: DrivenNode
  private let channel: HomeChannel
  private let jeff = Principal.session(
    SessionPrincipal(user: User(id: "jeff"), session: .sample(1)))
  private let boss = Principal.session(
    SessionPrincipal(user: User(id: "boss"), session: .sample(2)))
  private let platform = Principal.platform(onBehalfOf: User(id: "jeff"))

  init() throws {
    driven = try DrivenNode()
    channel = driven.channel(operators: ["boss"])
    for (number, id) in ["jeff", "boss"].enumerated() {
      channel.seat(.sample(number + 1), user: id)
    }
  }

  private func code(_ body: () throws(ServiceError) -> Void) -> ErrorCode? {
    do throws(ServiceError) { try body() } catch { return error.code }
    return nil
  }

  private var restriction: Restriction {
    Restriction(userID: "jeff", startsAt: 0, endsAt: .max)
  }

  @Test("operators and the Platform API operate a channel, others do not")
  func operating() {
    #expect(code { () throws(ServiceError) in try channel.requireOperating(jeff) } == .notAllowed)
    #expect(code { () throws(ServiceError) in try channel.requireOperating(boss) } == nil)
    #expect(code { () throws(ServiceError) in try channel.requireOperating(platform) } == nil)
    channel.isDeleted = true
    #expect(
      code { () throws(ServiceError) in try channel.requireOperating(platform) } == .notFound)
  }

  @Test("absence, freezing and muting hold participants, not the Platform API")
  func sending() {
    let away = Principal.session(SessionPrincipal(user: User(id: "away"), session: .sample(3)))
    #expect(code { () throws(ServiceError) in try channel.requireSending(jeff) } == nil)
    #expect(code { () throws(ServiceError) in try channel.requireSending(away) } == .notInChannel)
    channel.record.isFrozen = true
    #expect(code { () throws(ServiceError) in try channel.requireSending(jeff) } == .frozen)
    #expect(code { () throws(ServiceError) in try channel.requireSending(boss) } == nil)
    channel.record.isFrozen = false
    channel.mutes["jeff"] = restriction
    #expect(code { () throws(ServiceError) in try channel.requireSending(jeff) } == .muted)
    channel.record.isFrozen = true
    #expect(code { () throws(ServiceError) in try channel.requireSending(platform) } == nil)
  }

  @Test("values of extra data are for those who may send, keys for those who may edit")
  func extraData() {
    func counting(_ actor: Principal) -> ErrorCode? {
      code { () throws(ServiceError) in try channel.requireCounting(actor) }
    }
    let away = Principal.session(SessionPrincipal(user: User(id: "away"), session: .sample(3)))
    #expect(counting(jeff) == .notFound)
    channel.record.isEphemeral = false
    #expect(counting(jeff) == nil && counting(platform) == nil)
    #expect(counting(away) == .notInChannel)
    #expect(code { () throws(ServiceError) in try channel.requireEditing(away) } == nil)
    channel.record.isFrozen = true
    #expect(counting(jeff) == .frozen && counting(boss) == nil && counting(platform) == nil)
    channel.mutes["boss"] = Restriction(userID: "boss", startsAt: 0, endsAt: .max)
    #expect(counting(boss) == .muted)
    channel.bans["jeff"] = restriction
    #expect(counting(jeff) == .banned)
    #expect(code { () throws(ServiceError) in try channel.requireEditing(jeff) } == .banned)
  }

  @Test("a ban holds by whichever door, and not the administrator")
  func bans() {
    channel.bans["jeff"] = restriction
    #expect(code { () throws(ServiceError) in try channel.requireSending(jeff) } == .banned)
    #expect(code { () throws(ServiceError) in try channel.requireSending(platform) } == .banned)
    let administrator = Principal.platform(onBehalfOf: nil)
    #expect(code { () throws(ServiceError) in try channel.requireSending(administrator) } == nil)
  }

  @Test("the flood limit is for sessions, and others' messages are for operators")
  func messages() {
    #expect(channel.isFloodLimited(jeff))
    #expect(channel.isFloodLimited(boss))
    #expect(!channel.isFloodLimited(platform))
    let message = Message(
      id: 1, channelURL: "lobby", user: User(id: "boss"), text: "", createdAt: 0)
    for (actor, expected) in [(jeff, ErrorCode.notAllowed), (boss, nil), (platform, nil)] {
      let right = channel.changeRight(of: actor)
      #expect(code { () throws(ServiceError) in try right.check(message) } == expected)
    }
  }
}
