import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Testing

@testable import Gateway
@testable import Store

@Suite("The outlook for sending")
struct SendingOutlookTests {
  private let driven: DrivenNode
  private let channel: HomeChannel

  init() throws {
    driven = try DrivenNode { $0.limits.flood.exemptsOperators = true }
    channel = driven.channel(operators: ["boss"])
    for (number, id) in ["jeff", "boss"].enumerated() {
      channel.seat(.sample(number + 1), user: id)
    }
  }

  private func outlook(_ id: String, isActive: Bool = true) -> SendingOutlook {
    channel.outlook(
      for: Account(user: User(id: id), isActive: isActive, createdAt: 0, lastSeenAt: 0))
  }

  private func restriction(_ endsAt: Int64) -> Restriction {
    Restriction(userID: "jeff", startsAt: 0, endsAt: endsAt, description: "spam")
  }

  @Test("nothing stands against a participant who has sent nothing")
  func passes() {
    let outlook = outlook("jeff")
    #expect(outlook.refusals.isEmpty)
    #expect(outlook.isParticipant && !outlook.isOperator)
    #expect(outlook.flood.source == .settings)
    #expect(outlook.flood.count == 0 && outlook.floodWait == 0)
  }

  @Test("all that stands against a message is told in the order of the checks")
  func order() {
    let now = driven.node.services.clock.now
    channel.bans["away"] = restriction(now + 100_000)
    channel.mutes["away"] = restriction(now + 200_000)
    channel.record.isFrozen = true
    channel.setOwnLimits([.flood: LimitOverride(messages: 1, windowMilliseconds: 3_600_000)])
    _ = channel.floodGate.admit("away", at: now, limit: channel.floodLimit)
    let outlook = outlook("away", isActive: false)
    #expect(
      outlook.refusals.map(\.error.code) == [
        .userDeactivated, .banned, .notInChannel, .frozen, .muted, .flood,
      ])
    #expect(
      outlook.refusals.map(\.restriction?.endsAt) == [
        nil, now + 100_000, nil, nil, now + 200_000, nil,
      ])
    #expect(outlook.flood.source == .channel)
    #expect(outlook.flood.count == 1)
    #expect((1...3_600_000).contains(outlook.floodWait))
  }

  @Test("the first refusal is the one that the sender is told")
  func agrees() throws {
    let actor = Principal.session(SessionPrincipal(user: User(id: "jeff"), session: .sample(1)))
    let changes: [(HomeChannel) -> Void] = [
      { $0.mutes["jeff"] = restriction(.max) }, { $0.record.isFrozen = true },
      { $0.leave(.sample(1), userID: "jeff") }, { $0.bans["jeff"] = restriction(.max) },
    ]
    for change in changes {
      change(channel)
      let expected = try #require(outlook("jeff").refusals.first).error
      #expect(throws: expected) { try channel.requireSending(actor) }
    }
  }

  @Test("an operator is exempt from what does not hold operators")
  func exemptions() {
    channel.record.isFrozen = true
    for _ in 0..<9 { _ = channel.floodGate.admit("boss", at: 0, limit: channel.floodLimit) }
    let outlook = outlook("boss")
    #expect(outlook.isOperator && outlook.flood.isExempt && outlook.throttle.isExempt)
    #expect(outlook.refusals.isEmpty && outlook.floodWait == 0)
  }

  @Test("changes have a window of their own")
  func changes() throws {
    channel.setOwnLimits([.flood: LimitOverride(messages: 2, windowMilliseconds: 3_600_000)])
    let jeff = Principal.session(SessionPrincipal(user: User(id: "jeff"), session: .sample(1)))
    let first = try channel.takeChange(jeff)
    _ = try channel.takeChange(jeff)
    #expect(outlook("jeff").changes.count == 2)
    #expect(outlook("jeff").changeWait > 0)
    #expect(outlook("jeff").flood.count == 0 && outlook("jeff").floodWait == 0)
    #expect(throws: ServiceError.self) { try channel.takeChange(jeff) }
    channel.giveBack(first)
    #expect(outlook("jeff").changes.count == 1 && outlook("jeff").changeWait == 0)
    for actor in [
      Principal.session(SessionPrincipal(user: User(id: "boss"), session: .sample(2))),
      .platform(onBehalfOf: User(id: "jeff")), .platform(onBehalfOf: nil),
    ] {
      for _ in 0..<9 { #expect(try channel.takeChange(actor) == nil) }
    }
  }

  @Test("asking changes nothing")
  func changesNothing() {
    let use = channel.lastUse
    for _ in 0..<20 { #expect(outlook("jeff").flood.count == 0) }
    #expect(channel.floodGate.windowCount == 0)
    #expect(channel.lastUse == use)
    #expect(driven.node.channels.resident("lobby") == nil)
  }
}
