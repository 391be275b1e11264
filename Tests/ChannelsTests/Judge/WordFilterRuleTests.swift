import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: the word filter")
struct WordFilterRuleTests {
  private func rig(_ kind: WordFilterKind) throws -> JudgeRig {
    let rig = try JudgeRig()
    rig.handle(.wordFilterChanged(WordFilter(WordFilterRules(keywords: ["bad"], kind: kind))))
    return rig
  }

  @Test("replaces words of users and operators in messages and edits, until it is removed")
  func replaces() throws {
    let rig = try rig(.replace)
    for id in ["ann", "boss"] {
      #expect(try rig.perform(.send("so bad"), by: id).sent?.message.text == "so ***")
    }
    let id = try #require(try rig.perform(.send("fine"), by: "ann").sent).message.id
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "Bad!"))
    #expect(try rig.perform(edit, by: "ann").changed?.text == "***!")
    rig.handle(.wordFilterChanged(nil))
    #expect(try rig.perform(.send("bad"), by: "ann").sent?.message.text == "bad")
  }

  @Test("refuses messages and edits, which take no place in the flood window")
  func blocks() throws {
    let rig = try rig(.block)
    let id = try #require(try rig.perform(.send("fine"), by: "ann").sent).message.id
    for _ in 0..<10 {
      #expect(try rig.perform(.send("bad"), by: "ann").code == .filtered)
    }
    #expect(rig.tally.refused.filtered == 10)
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "bad"))
    #expect(try rig.perform(edit, by: "ann").code == .filtered)
    #expect(try rig.perform(.send("badge"), by: "ann").sent != nil)
  }

  @Test("leaves admin messages alone")
  func adminMessages() throws {
    let rig = try rig(.block)
    let sent = try rig.perform(.send("bad", type: .admin), by: .platform).sent
    #expect(sent?.message.text == "bad")
  }
}
