import ParleyProtocol
import Testing

@Suite("Methods")
struct CommandTests {
  @Test("every method of the contract is known, and no other")
  func methods() {
    let names = """
      channel.add_operators channel.ban channel.create channel.delete channel.enter channel.exit \
      channel.freeze channel.get channel.list channel.mute channel.participants \
      channel.remove_operators channel.report channel.unban channel.unfreeze channel.unmute channel.update \
      file.cancel file.create file.get file.list \
      group.accept group.changes group.create group.decline group.delete group.get group.hide group.invite \
      group.join group.leave group.list group.mark_delivered group.mark_read group.mark_unread group.members \
      group.receipts group.recover group.remove group.reset_history group.set_preference group.typing group.unhide group.unread group.update group.watch_totals \
      message.add_metaarray_values message.changes message.create_metaarray_keys message.delete \
      message.delete_metaarray_keys message.get message.list message.remove_metaarray_values message.report \
      message.search message.send message.send_files message.translate message.update preview.cancel preview.fetch \
      push.preferences push.register push.tokens push.unregister \
      session.background session.close session.open session.ping \
      session.refresh user.block user.blocked user.get user.preferences user.report user.unblock user.update
      """
    #expect(Command.methodNames == names.split(separator: " ").map(String.init))
  }

  @Test(
    "an unknown method is refused before its parameters are checked",
    arguments: ["", "message", "Message.send"])
  func unknownMethod(_ method: String) throws {
    let params = try node("[1]")
    let error = #expect(throws: ServiceError.self) {
      try Command(method: method, params: params)
    }
    #expect(error?.code == .methodNotFound)
  }

  @Test("params that are not an object are refused", arguments: ["[]", "[1]", "1", "\"\"", "true"])
  func paramsOfAnotherType(_ text: String) throws {
    let params = try node(text)
    let error = #expect(throws: ServiceError.self) {
      try Command(method: "session.ping", params: params)
    }
    #expect(error?.code == .invalidParams)
  }

  @Test("absent params count as an empty object")
  func absentParams() throws {
    guard case .sessionPing = try Command(method: "session.ping", params: nil) else {
      Issue.record("no ping")
      return
    }
    let error = #expect(throws: ServiceError.self) {
      try Command(method: "channel.get", params: nil)
    }
    #expect(error == .missing("channel_url"))
  }

  @Test("unknown members are ignored, null members count as absent")
  func unknownMembers() throws {
    #expect(try refusal("session.close", #""x":[{"y":1}]"#) == nil)
    #expect(
      try refusal("session.open", #""user_id":"u","nickname":null,"access_token":null"#) == nil)
    #expect(try refusal("user.get", #""user_id":null"#) == Refusal(400105, "user_id"))
  }

  @Test("each command for a channel has its channel URL and its values")
  func dispatch() throws {
    let whom = #""user_id":"u""#
    let samples: [(method: String, members: String, command: String)] = [
      ("channel.get", "", "view"), ("channel.delete", "", "delete"),
      ("channel.freeze", "", "freeze(true)"), ("channel.unfreeze", "", "freeze(false)"),
      ("channel.mute", whom, "restrict(mute,userID:u,seconds:-1"),
      ("channel.ban", whom + #","seconds":7"#, "restrict(ban,userID:u,seconds:7"),
      ("channel.unmute", whom, "lift(mute,userID:u"), ("channel.unban", whom, "lift(ban,userID:u"),
      ("channel.add_operators", #""user_ids":["u"]"#, "addOperators([u])"),
      ("channel.remove_operators", #""user_ids":["u"]"#, "removeOperators([u])"),
      ("message.update", #""message_id":1,"message":"m""#, "updateMessage(1"),
      ("message.delete", #""message_id":1"#, "deleteMessage(1)"),
      ("message.get", #""message_id":1"#, "viewMessage(1)"),
      (
        "message.translate", #""message_id":1,"target_langs":["es"]"#,
        "translateMessage(1,into:[es]"
      ),
      (
        "message.create_metaarray_keys", #""message_id":1,"keys":["k"]"#,
        "changeMetaArrays(ofMessage:1,createKeys([k])"
      ),
      (
        "message.delete_metaarray_keys", #""message_id":1,"keys":["k"]"#,
        "changeMetaArrays(ofMessage:1,deleteKeys([k])"
      ),
      (
        "message.add_metaarray_values", #""message_id":1,"values":{"k":["v"]}"#,
        "changeMetaArrays(ofMessage:1,addValues("
      ),
      (
        "message.remove_metaarray_values", #""message_id":1,"values":{"k":["v"]}"#,
        "changeMetaArrays(ofMessage:1,removeValues("
      ),
    ]
    for sample in samples {
      let members = [#""channel_url":"lobby""#, sample.members].filter { !$0.isEmpty }
      guard
        case .channel("lobby", let found) = try command(
          sample.method, members.joined(separator: ","))
      else {
        Issue.record("\(sample.method) is no command for a channel's judge")
        continue
      }
      // Without the names of types and modules.
      let text = "\(found)".filter { $0 != " " && $0 != "\"" }
        .replacing(/\w+\.(?=\w)/, with: "").replacing(/ChannelRestriction\(/, with: "")
      #expect(text.contains(sample.command), "\(sample.method): \(text)")
    }
  }
}
