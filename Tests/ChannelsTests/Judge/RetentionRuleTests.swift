import ParleyProtocol
import Testing

@testable import Channels

@Suite("The retention of messages")
struct RetentionRuleTests {
  @Test("is the shorter time of the custom type and the channel, and a hold keeps all")
  func lifetimes() {
    let rules = RetentionRules(lifetimes: ["support": 9_000, "news": 0], otherLifetime: 5_000)
    func lifetime(_ type: String, _ seconds: Int64? = nil, isHeld: Bool = false) -> Int64? {
      rules.lifetime(
        customType: type, ChannelRetention(survivalSeconds: seconds, isHeld: isHeld))
    }
    #expect(lifetime("") == 5_000 && lifetime("other") == 5_000)
    #expect(lifetime("support") == 9_000 && lifetime("news") == nil)
    #expect(lifetime("support", 8) == 8_000 && lifetime("support", 10) == 9_000)
    #expect(lifetime("news", 3) == 3_000)
    #expect(lifetime("support", 8, isHeld: true) == nil)
    #expect(rules.shortestLifetime == 5_000 && !rules.keepsAll)
    #expect(RetentionRules().keepsAll && RetentionRules(lifetimes: ["a": 0]).keepsAll)
    #expect(!RetentionRules(messageCount: 1).keepsAll)
  }

  @Test("by a hold refuses edits and deletions, also of the channel, to everybody")
  func hold() throws {
    let rig = try JudgeRig()
    let id = try #require(try rig.perform(.send("one"), by: "ann").sent).message.id
    rig.handle(.retentionChanged(ChannelRetention(isHeld: true)))
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "two"))
    for principal in [Principal.participant("ann"), .participant("boss"), .platform] {
      for command in [.deleteMessage(id), edit] {
        let error = try rig.perform(command, by: principal).error
        #expect(error?.code == .notAllowed && error?.data.reason == "held", "\(command)")
      }
    }
    for principal in [Principal.participant("boss"), .platform] {
      let error = try rig.perform(.operation(.delete), by: principal).error
      #expect(error?.data.reason == "held")
    }
    #expect(try rig.perform(.send("two"), by: "ann").sent != nil)
    rig.handle(.retentionChanged(ChannelRetention()))
    #expect(try rig.perform(edit, by: .participant("ann")).error == nil)
    #expect(try rig.perform(.deleteMessage(id), by: .platform).error == nil)
  }

  @Test("is part of the channel, and stays as it is when others of its values change")
  func changes() throws {
    let rig = try JudgeRig()
    rig.handle(.retentionChanged(ChannelRetention(survivalSeconds: 60, isHeld: true)))
    #expect(rig.channel.survivalSeconds == 60)
    // The log of the rig knows no retention, as if it had read the channel before the change.
    let renaming = ChannelCommand.update(ChannelFields(name: "Hall"))
    #expect(try rig.perform(renaming, by: .platform).error == nil)
    #expect(rig.channel.name == "Hall")
    #expect(rig.retention == ChannelRetention(survivalSeconds: 60, isHeld: true))
    rig.handle(.retentionChanged(ChannelRetention()))
    #expect(rig.channel.survivalSeconds == nil)
  }

  @Test("of a channel applies to imported messages")
  func importing() throws {
    let rig = try JudgeRig(messageLifetime: 9_000)
    rig.handle(.retentionChanged(ChannelRetention(survivalSeconds: 1)))
    #expect(try rig.importMessage("one", at: rig.now - 1_001).error?.code == .outOfRange)
    rig.handle(.retentionChanged(ChannelRetention(survivalSeconds: 1, isHeld: true)))
    #expect(try rig.importMessage("one", at: rig.now - 20_000).sent != nil)
  }
}
