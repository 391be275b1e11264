import ParleyProtocol
import Testing

@Suite("Methods")
struct CommandTests {
  @Test("every method of the contract is known, and no other")
  func methods() {
    let names = """
      channel.add_operators channel.ban channel.create channel.delete channel.enter channel.exit \
      channel.freeze channel.get channel.list channel.mute channel.participants \
      channel.remove_operators channel.unban channel.unfreeze channel.unmute channel.update \
      file.cancel file.create file.get file.list \
      message.add_metaarray_values message.create_metaarray_keys message.delete \
      message.delete_metaarray_keys message.get message.list message.remove_metaarray_values \
      message.send message.send_files message.translate message.update preview.cancel preview.fetch session.close session.open session.ping \
      session.refresh user.get user.update
      """
    #expect(Command.methodNames == names.split(separator: " ").map(String.init))
  }

  @Test(
    "an unknown method is refused before its parameters",
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

  @Test("absent params are an empty object")
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

  @Test("unknown members are ignored, null ones absent")
  func unknownMembers() throws {
    #expect(try refusal("session.close", #""x":[{"y":1}]"#) == nil)
    #expect(
      try refusal("session.open", #""user_id":"u","nickname":null,"access_token":null"#) == nil)
    #expect(try refusal("session.open", #""user_id":null"#) == Refusal(400105, "user_id"))
  }

  @Test("each method becomes its own command, with its channel")
  func dispatch() throws {
    let samples: [(method: String, members: String)] = [
      ("channel.get", ""), ("channel.update", ""), ("channel.delete", ""), ("channel.enter", ""),
      ("channel.exit", ""), ("channel.participants", ""), ("channel.freeze", ""),
      ("channel.unfreeze", ""), ("channel.mute", #","user_id":"u""#),
      ("channel.unmute", #","user_id":"u""#), ("channel.ban", #","user_id":"u""#),
      ("channel.unban", #","user_id":"u""#), ("channel.add_operators", #","user_ids":["u"]"#),
      ("channel.remove_operators", #","user_ids":["u"]"#), ("message.send", #","message":"m""#),
      ("message.update", #","message_id":1,"message":"m""#),
      ("message.delete", #","message_id":1"#),
      ("message.get", #","message_id":1"#), ("message.list", ""),
      ("message.create_metaarray_keys", #","message_id":1,"keys":["k"]"#),
      ("message.delete_metaarray_keys", #","message_id":1,"keys":["k"]"#),
      ("message.add_metaarray_values", #","message_id":1,"values":{"k":["v"]}"#),
      ("message.remove_metaarray_values", #","message_id":1,"values":{"k":["v"]}"#),
      ("channel.create", ""),
    ]
    for sample in samples {
      let command = try command(sample.method, #""channel_url":"lobby""# + sample.members)
      #expect(command.channelURL == "lobby")
      let name = "\(command)".prefix { $0 != "(" }.lowercased()
      let expected = sample.method.filter { $0 != "." && $0 != "_" }
      #expect(name == expected)
    }
    for method in ["session.ping", "session.close", "user.update", "channel.list"] {
      #expect(try command(method, "").channelURL == nil)
    }
  }
}
