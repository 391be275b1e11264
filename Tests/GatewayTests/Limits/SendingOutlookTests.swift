import Channels
import Configuration
import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway
@testable import Store

@Suite("The sending status of a participant", .onOwnThreads)
struct SendingOutlookTests {
  private let driven: DrivenShard
  private let channel: ChannelHost

  init() throws {
    driven = try DrivenShard { $0.limits.flood.exemptsOperators = true }
    channel = driven.channel(operators: ["boss"])
    for (number, id) in ["jeff", "boss"].enumerated() {
      channel.seat(.sample(number + 1), user: id)
    }
  }

  private func outlook(
    _ id: String, in channel: ChannelHost? = nil, isActive: Bool = true,
    _ today: DailyCounts.Numbers = DailyCounts.Numbers()
  ) -> SendingOutlook {
    (channel ?? self.channel).outlook(
      for: Account(
        user: User(id: id), isActive: isActive, createdAt: 0, lastSeenAt: 0, fileKeysSince: 0),
      UserTotals(stored: StoredUserUsage.Outcome(), today: today))
  }

  private func restriction(_ endsAt: Int64) -> Restriction {
    Restriction(userID: "away", startsAt: 0, endsAt: endsAt, description: "spam")
  }

  @Test("no obstacle is listed for a participant who has sent nothing")
  func passes() {
    let outlook = outlook("jeff")
    #expect(outlook.refusals.isEmpty)
    #expect(outlook.isParticipant && !outlook.isOperator)
    #expect(outlook.flood.source == .settings)
    #expect(outlook.flood.count == 0 && outlook.floodWait == 0)
  }

  @Test("all obstacles to a message are listed in the order of the checks")
  func order() {
    let now = driven.shard.services.clock.now
    let send = RecentSend(userID: "away", createdAt: now)
    let channel = driven.channel(recentSends: [send]) { state in
      state.bans["away"] = restriction(now + 100_000)
      state.mutes["away"] = restriction(now + 200_000)
      state.channel.isFrozen = true
      state.floodOverride = LimitOverride(messages: 1, windowMilliseconds: 3_600_000)
    }
    let outlook = outlook("away", in: channel, isActive: false)
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

  @Test("quotas are listed with their use, and one that is used up refuses before the windows")
  func quotas() throws {
    let quotas = driven.shard.services.quotas
    var settings = quotas.settings
    settings.userChannelsPerDay = 0
    quotas.adopt(settings)
    #expect(outlook("jeff").quotas.map(\.name) == ["limits.user_groups_created"])
    settings.userMessagesPerDay = 3
    settings.messagesStored = 9
    quotas.adopt(settings)
    #expect(outlook("jeff", DailyCounts.Numbers(messages: 2)).refusals.isEmpty)
    let used = DailyCounts.Numbers(messages: 3)
    let full = outlook("jeff", used)
    #expect(
      full.quotas.map { [$0.used, $0.limit] } == [[3, 3], [0, 2_000], [0, 9]]
        && full.quotas.last?.name == "limits.messages_stored")
    let error = try #require(full.refusals.first?.error)
    #expect(error.code == .rateLimited && error.data.limit == 3 && full.refusals.count == 1)
    #expect(outlook("boss", used).refusals.isEmpty)
    quotas.note(StoredSize.Outcome(messageCount: 9))
    #expect(outlook("jeff", used).refusals.map(\.error.data.reason) == ["storage_full"])
  }

  @Test("messages to other channels fill the window over all channels")
  func userFlood() throws {
    let shard = driven.shard
    let limit = shard.settings.limits.userFlood
    for user in ["jeff", "boss"] {
      for _ in 0..<limit.count {
        _ = try shard.services.userFlood.take(of: user, limit: limit)
      }
    }
    let outlook = outlook("jeff")
    #expect(outlook.userFlood.limit == limit && outlook.userFlood.count == limit.count)
    #expect(outlook.refusals.map(\.error.data.scope) == ["user"])
    #expect(outlook.refusals.first?.error.data.retryAfterMilliseconds == outlook.userFloodWait)
    #expect(self.outlook("boss").refusals.isEmpty && self.outlook("boss").userFloodWait == 0)
    #expect(self.outlook("other").userFlood.count == 0)
  }

  @Test("an operator is exempt from checks that do not apply to operators")
  func exemptions() {
    let sends = (0..<9).map { RecentSend(userID: "boss", createdAt: Int64($0)) }
    let channel = driven.channel(operators: ["boss"], recentSends: sends) {
      $0.channel.isFrozen = true
    }
    channel.seat(.sample(1), user: "boss")
    let outlook = outlook("boss", in: channel)
    #expect(outlook.isOperator && outlook.flood.isExempt && outlook.throttle.isExempt)
    #expect(outlook.refusals.isEmpty && outlook.floodWait == 0)
  }

  @Test("newly set limits override more general ones immediately")
  func limits() {
    channel.setOwnLimits([.flood: LimitOverride(messages: 2, windowMilliseconds: 3_600_000)])
    #expect(outlook("jeff").flood.limit.count == 2 && outlook("jeff").changes.limit.count == 2)
    #expect(outlook("jeff").flood.source == .channel)
    #expect(outlook("jeff").throttle.source == .settings)
    channel.setOwnLimits([:])
    #expect(outlook("jeff").flood.source == .settings)
  }

  @Test("querying the status changes nothing")
  func changesNothing() {
    let use = channel.lastUse
    for _ in 0..<20 { #expect(outlook("jeff").flood.count == 0) }
    #expect(channel.lastUse == use)
    #expect(driven.shard.channels.resident("lobby") == nil)
  }
}
