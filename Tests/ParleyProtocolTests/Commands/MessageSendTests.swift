import ParleyProtocol
import Testing

@Suite("message.send")
struct MessageSendTests {
  private func send(_ members: String) throws -> MessageOrder {
    let all = [#""channel_url":"lobby""#, members].filter { !$0.isEmpty }.joined(separator: ",")
    guard case .channel("lobby", .send(let order)) = try command("message.send", all) else {
      throw ServiceError.internalError
    }
    return order
  }

  /// Checks that the command itself is accepted and how the draft is judged.
  private func check(_ sample: Case, _ prefix: String = "") throws {
    let all = [prefix, sample.members].filter { !$0.isEmpty }.joined(separator: ",")
    let expected = sample.code == 0 ? nil : Refusal(sample.code, sample.field)
    switch try send(all).draft {
    case .success: #expect(expected == nil, "\(sample)")
    case .failure(let error): #expect(Refusal(error) == expected, "\(sample)")
    }
  }

  @Test(
    "a message is 1 to 5,000 characters",
    arguments: [
      Case(#""message":"m""#), Case(#""message":"\#(text(5000))""#),
      Case(#""message":"\#(text(5000, "😀"))""#),
      Case(#""message":"\#(text(5001))""#, 400110, "message"),
      Case(#""message":"""#, 400105, "message"), Case("", 400105, "message"),
      Case(#""message":1"#, 400100, "message"), Case(#""message":"a\u0000""#, 400151, "message"),
    ])
  func messageLength(_ sample: Case) throws {
    try check(sample)
  }

  @Test(
    "the data of a message has its own limits",
    arguments: [
      Case(#""req_id":"\#(text(64))""#), Case(#""req_id":"\#(text(65))""#, 400110, "req_id"),
      Case(#""req_id":1"#, 400100, "req_id"), Case(#""custom_type":"\#(text(128))""#),
      Case(#""custom_type":"\#(text(129))""#, 400110, "custom_type"),
      Case(#""data":"\#(text(16_384))""#), Case(#""data":"\#(text(16_385))""#, 400110, "data"),
      Case(#""data":{"a":1}"#, 400100, "data"), Case(#""mention_type":"users""#),
      Case(#""mention_type":"channel""#),
      Case(#""mention_type":"all""#, 400111, "mention_type"),
      Case(#""mention_type":1"#, 400100, "mention_type"),
      Case(#""mentioned_user_ids":\#(list((1...10).map(String.init)))"#),
      Case(
        #""mentioned_user_ids":\#(list((1...11).map(String.init)))"#, 400203,
        "mentioned_user_ids"),
      Case(#""mentioned_user_ids":"u""#, 400102, "mentioned_user_ids"),
      Case(#""push_option":"default""#), Case(#""push_option":"suppress""#),
      Case(#""push_option":"x""#, 400111, "push_option"),
      Case(#""message_type":"MESG""#), Case(#""message_type":"FILE""#, 400105, "url"),
      Case(#""message_type":"ADMM""#, 400111, "message_type"),
      Case(#""message_type":"mesg""#, 400111, "message_type"),
      Case(#""message_type":1"#, 400100, "message_type"),
      Case(#""translation_target_langs":[]"#),
      Case(#""translation_target_langs":["de","pt-BR","zh-Hant-TW"]"#),
      Case(
        #""translation_target_langs":\#(list((10...19).map { "l-\($0)" }))"#, 400111,
        "translation_target_langs"),
      Case(#""translation_target_langs":\#(list((10...19).map { "la-\($0)" }))"#),
      Case(
        #""translation_target_langs":\#(list((10...20).map { "la-\($0)" }))"#, 400203,
        "translation_target_langs"),
      Case(#""translation_target_langs":["pt_BR"]"#, 400111, "translation_target_langs"),
      Case(#""translation_target_langs":["es-"]"#, 400111, "translation_target_langs"),
      Case(#""translation_target_langs":[""]"#, 400111, "translation_target_langs"),
      Case(#""translation_target_langs":[1]"#, 400100, "translation_target_langs"),
      Case(
        #""translation_target_langs":["\#(text(36))"]"#, 400110, "translation_target_langs"),
      Case(#""translation_target_langs":"de""#, 400102, "translation_target_langs"),
    ])
  func additions(_ sample: Case) throws {
    try check(sample, #""message":"m""#)
  }

  @Test(
    "a file has an http or https address, and its own limits",
    arguments: [
      Case(#""url":"https://a.b/c.png""#), Case(#""url":"HTTP://a""#),
      Case(#""url":"https://a.b","message":"""#),
      Case(#""url":"https://a.b","message":"look""#),
      Case(#""url":"https://a.b","message":"\#(text(5001))""#, 400110, "message"),
      Case(#""url":"https://a.b","file_name":"\#(text(255))","file_type":"\#(text(128))""#),
      Case(#""url":"https://a.b","file_name":"\#(text(256))""#, 400110, "file_name"),
      Case(#""url":"https://a.b","file_name":"gnp\u202e.exe""#, 400151, "file_name"),
      Case(#""url":"https://a.b","file_name":"a\nb""#, 400151, "file_name"),
      Case(#""url":"https://a.b","file_type":"\#(text(129))""#, 400110, "file_type"),
      Case(#""url":"https://a.b","file_size":9007199254740991"#),
      Case(#""url":"https://a.b","file_size":-1"#, 400106, "file_size"),
      Case(#""url":"https://a.b","file_size":"1""#, 400101, "file_size"),
      Case(#""url":"https://\#(text(2041))""#, 400110, "url"), Case(#""url":"""#, 400105, "url"),
      Case(#""url":1"#, 400100, "url"), Case(#""url":"javascript://a""#, 400111, "url"),
      Case(#""url":"https:a""#, 400111, "url"), Case(#""url":"https://""#, 400111, "url"),
      Case(#""url":"a.b/c""#, 400111, "url"), Case(#""url":"://a""#, 400111, "url"),
    ])
  func files(_ sample: Case) throws {
    try check(sample, #""message_type":"FILE""#)
  }

  @Test("a file keeps its declared properties")
  func file() throws {
    let draft = try send(
      #""message_type":"FILE","url":"https://a.b/c","file_name":"c","file_type":"x/y","#
        + #""file_size":7"#
    ).draft.get()
    #expect(draft.type == .file)
    #expect(draft.text == "")
    #expect(draft.file == MessageFile(url: "https://a.b/c", name: "c", type: "x/y", size: 7))
  }

  private static func metaarray(keys: Int, values: Int = 1) -> String {
    let items = (0..<keys).map { key in
      #"{"key":"k\#(key)","value":\#(list((0..<values).map(String.init)))}"#
    }
    return #""metaarray":[\#(items.joined(separator: ","))]"#
  }

  @Test(
    "a metaarray has at most 10 keys of 100 values",
    arguments: [
      Case(metaarray(keys: 0)), Case(metaarray(keys: 10)),
      Case(metaarray(keys: 11), 400203, "metaarray"), Case(metaarray(keys: 1, values: 100)),
      Case(metaarray(keys: 1, values: 101), 400203, "value"),
      Case(#""metaarray":{}"#, 400102, "metaarray"), Case(#""metaarray":[1]"#, 400103, "metaarray"),
      Case(#""metaarray":[{}]"#, 400105, "key"),
      Case(#""metaarray":[{"key":""}]"#, 400105, "key"),
      Case(#""metaarray":[{"key":"k"}]"#),
      Case(#""metaarray":[{"key":"k","value":"v"}]"#, 400102, "value"),
      Case(#""metaarray":[{"key":"k","value":[1]}]"#, 400100, "value"),
      Case(#""metaarray":[{"key":"\#(text(128))"}]"#),
      Case(#""metaarray":[{"key":"\#(text(129))"}]"#, 400110, "key"),
      Case(#""metaarray":[{"key":"k","value":["\#(text(190))"]}]"#),
      Case(#""metaarray":[{"key":"k","value":["\#(text(191))"]}]"#, 400110, "value"),
      Case(#""metaarray":[{"key":"k"},{"key":"k"}]"#, 400111, "metaarray"),
    ])
  func extraData(_ sample: Case) throws {
    try check(sample, #""message":"m""#)
  }

  @Test("all given values reach the draft")
  func draft() throws {
    let send = try send(
      #"""
      "req_id":"r","message":"hi","data":"{}","custom_type":"c","mention_type":"channel",
      "mentioned_user_ids":["b","a","b"],"push_option":"suppress",
      "metaarray":[{"key":"itemType","value":["tablet","phone","tablet"]}]
      """#)
    #expect(send.requestID == "r")
    let expected = MessageDraft(
      text: "hi", data: "{}", customType: "c", mentionType: .channel,
      mentionedUserIDs: ["b", "a"],
      metaArrays: [MetaArray(key: "itemType", values: ["tablet", "phone"])],
      pushOption: .suppress)
    #expect(try send.draft.get() == expected)
  }

  @Test("a req_id is known even if the message is refused, so that a repetition is answered")
  func requestIDBesideBadDraft() throws {
    let send = try send(#""req_id":"r","message":5"#)
    #expect(send.requestID == "r")
    #expect(throws: ServiceError.self) { try send.draft.get() }
    #expect(try self.send(#""req_id":"","message":"m""#).requestID == nil)
  }

  @Test("only an invalid channel URL is refused at once")
  func channelFirst() throws {
    #expect(try refusal("message.send", #""message":5"#) == Refusal(400105, "channel_url"))
    #expect(try refusal("message.send", #""channel_url":"lobby","message":5"#) == nil)
  }
}
