import ParleyProtocol
import Testing

@Suite("Message methods")
struct MessageCommandsTests {
  private static let lobby = #""channel_url":"lobby""#
  private static let message = #""channel_url":"lobby","message_id":5"#

  @Test(
    "a message_id is 1 to 2^53 − 1",
    arguments: [
      Case(#""message_id":1"#), Case(#""message_id":9007199254740991"#),
      Case(#""message_id":0"#, 400113, "message_id"),
      Case(#""message_id":9007199254740992"#, 400113, "message_id"),
      Case(#""message_id":-1"#, 400106, "message_id"),
      Case(#""message_id":"1""#, 400101, "message_id"), Case("", 400105, "message_id"),
    ])
  func messageIDs(_ sample: Case) throws {
    try sample.check("message.get", Self.lobby)
    try sample.check("message.delete", Self.lobby)
    try sample.check("message.update", Self.lobby + #","message":"m""#)
  }

  @Test(
    "message.update requires a change, within the limits of sending",
    arguments: [
      Case("", 400105, "message"), Case(#""message":null"#, 400105, "message"),
      Case(#""message":"""#, 400105, "message"), Case(#""message":"\#(text(5000))""#),
      Case(#""message":"\#(text(5001))""#, 400110, "message"), Case(#""data":"""#),
      Case(#""data":"\#(text(16_385))""#, 400110, "data"), Case(#""custom_type":"""#),
      Case(#""mention_type":"channel""#), Case(#""mention_type":"x""#, 400111, "mention_type"),
      Case(#""mentioned_user_ids":[]"#),
      Case(#""mentioned_user_ids":[5]"#, 400100, "mentioned_user_ids"),
    ])
  func update(_ sample: Case) throws {
    try sample.check("message.update", Self.message)
  }

  @Test("an update distinguishes absent members from empty ones")
  func changes() throws {
    guard
      case .channel(_, .updateMessage(5, let changes)) = try command(
        "message.update", Self.message + #","data":"","mentioned_user_ids":[],"custom_type":null"#)
    else {
      Issue.record("no message.update")
      return
    }
    #expect(changes == MessageChanges(data: "", mentionedUserIDs: []))
  }

  @Test(
    "message.list",
    arguments: [
      Case(""), Case(#""prev_limit":0,"next_limit":0"#), Case(#""prev_limit":200"#),
      Case(#""prev_limit":201"#, 400113, "prev_limit"),
      Case(#""prev_limit":-1"#, 400106, "prev_limit"),
      Case(#""next_limit":200"#), Case(#""next_limit":201"#, 400113, "next_limit"),
      Case(#""next_limit":"5""#, 400101, "next_limit"),
      Case(#""include":1"#, 400104, "include"), Case(#""reverse":"x""#, 400104, "reverse"),
      Case(#""message_ts":0"#), Case(#""message_ts":-1"#, 400106, "message_ts"),
      Case(#""message_ts":9007199254740992"#, 400113, "message_ts"),
      Case(#""message_id":-1"#, 400106, "message_id"),
      Case(#""message_type":"ADMM""#), Case(#""message_type":"X""#, 400111, "message_type"),
      Case(#""custom_types":["a"],"sender_ids":["u"]"#),
      Case(#""custom_types":1"#, 400102, "custom_types"),
      Case(#""sender_ids":["\#(text(81))"]"#, 400305, "sender_ids"),
      Case(#""sender_ids":\#(list((0...100).map(String.init)))"#, 400203, "sender_ids"),
      Case(#""mentioned_user_id":"u","has_file":false,"has_link":true,"updated_since":1"#),
      Case(#""mentioned_user_id":"\#(text(81))""#, 400305, "mentioned_user_id"),
      Case(#""has_file":1"#, 400104, "has_file"), Case(#""has_link":"x""#, 400104, "has_link"),
      Case(#""updated_since":-1"#, 400106, "updated_since"),
      Case(#""from_ts":1,"to_ts":1"#), Case(#""from_ts":2,"to_ts":1"#, 400920, "from_ts"),
      Case(#""to_ts":-1"#, 400106, "to_ts"),
    ])
  func listRanges(_ sample: Case) throws {
    try sample.check("message.list", Self.lobby)
  }

  private func messageList(_ members: String = "") throws -> MessageList {
    let all = [Self.lobby, members].filter { !$0.isEmpty }.joined(separator: ",")
    guard case .messageList(let list) = try command("message.list", all) else {
      throw ServiceError.internalError
    }
    return list
  }

  @Test("15 messages up to now are listed by default")
  func listDefaults() throws {
    let expected = MessageList(
      channelURL: "lobby", anchor: .now, previousLimit: 15, nextLimit: 0, includesAnchor: true,
      isReversed: false, filter: MessageFilter())
    #expect(try messageList() == expected)
    #expect(MessageList(channelURL: "lobby") == expected)
  }

  @Test("a message_id above 0 takes precedence over a message_ts")
  func anchors() throws {
    #expect(try messageList(#""message_id":7"#).anchor == .message(id: 7))
    #expect(try messageList(#""message_ts":7"#).anchor == .time(7))
    #expect(try messageList(#""message_id":7,"message_ts":9"#).anchor == .message(id: 7))
    #expect(try messageList(#""message_id":0,"message_ts":9"#).anchor == .time(9))
  }

  @Test(
    "metaarray keys are a list of 1 to 10",
    arguments: [
      Case(#""keys":["a"]"#), Case(#""keys":\#(list((1...10).map(String.init)))"#),
      Case(#""keys":\#(list((1...11).map(String.init)))"#, 400203, "keys"),
      Case("", 400105, "keys"), Case(#""keys":[]"#, 400105, "keys"),
      Case(#""keys":[""]"#, 400105, "keys"), Case(#""keys":"a""#, 400102, "keys"),
      Case(#""keys":[1]"#, 400100, "keys"), Case(#""keys":["\#(text(128))"]"#),
      Case(#""keys":["\#(text(129))"]"#, 400110, "keys"),
    ])
  func metaArrayKeys(_ sample: Case) throws {
    try sample.check("message.create_metaarray_keys", Self.message)
  }

  @Test(
    "keys allowed by any settings can be deleted",
    arguments: [
      Case(#""keys":["a"]"#), Case(#""keys":\#(list((1...100).map(String.init)))"#),
      Case(#""keys":\#(list((1...101).map(String.init)))"#, 400203, "keys"),
      Case("", 400105, "keys"), Case(#""keys":[]"#, 400105, "keys"),
      Case(#""keys":["\#(text(256))"]"#), Case(#""keys":["\#(text(257))"]"#, 400110, "keys"),
    ])
  func deletedMetaArrayKeys(_ sample: Case) throws {
    try sample.check("message.delete_metaarray_keys", Self.message)
  }

  private static func table(_ count: Int) -> String {
    #""values":{\#((0..<count).map { "\"k\($0)\":[]" }.joined(separator: ","))}"#
  }

  @Test(
    "metaarray values are lists by key",
    arguments: [
      Case(#""values":{"games":["soccer"]}"#), Case(table(10)),
      Case(table(11), 400203, "values"), Case("", 400105, "values"),
      Case(#""values":{}"#, 400105, "values"), Case(#""values":[]"#, 400103, "values"),
      Case(#""values":{"k":"v"}"#, 400102, "value"), Case(#""values":{"k":[1]}"#, 400100, "value"),
      Case(#""values":{"":[]}"#, 400105, "values"), Case(#""values":{"\#(text(128))":[]}"#),
      Case(#""values":{"\#(text(129))":[]}"#, 400110, "values"),
      Case(#""values":{"k":["\#(text(191))"]}"#, 400110, "value"),
      Case(#""values":{"k":\#(list((0...100).map(String.init)))}"#, 400203, "value"),
    ])
  func metaArrayValues(_ sample: Case) throws {
    try sample.check("message.add_metaarray_values", Self.message)
  }

  @Test(
    "values allowed by any settings can be removed",
    arguments: [
      Case(#""values":{"games":["soccer"]}"#), Case(table(100)),
      Case(table(101), 400203, "values"), Case("", 400105, "values"),
      Case(#""values":{"k":["\#(text(4_096))"]}"#),
      Case(#""values":{"k":["\#(text(4_097))"]}"#, 400110, "value"),
      Case(#""values":{"k":\#(list((0...1_000).map(String.init)))}"#, 400203, "value"),
    ])
  func removedMetaArrayValues(_ sample: Case) throws {
    try sample.check("message.remove_metaarray_values", Self.message)
  }

  @Test(
    "a translation requires its languages",
    arguments: [
      Case(#""target_langs":["de"]"#), Case(#""target_langs":["de","DE","pt-BR"]"#),
      Case(#""target_langs":[]"#, 400105, "target_langs"),
      Case(#""target_langs":["pt_BR"]"#, 400111, "target_langs"),
      Case(
        #""target_langs":\#(list((10...20).map { "la-\($0)" }))"#, 400203, "target_langs"),
      Case("", 400105, "target_langs"), Case(#""target_langs":"de""#, 400102, "target_langs"),
    ])
  func translate(_ sample: Case) throws {
    try sample.check("message.translate", Self.message)
  }
}
