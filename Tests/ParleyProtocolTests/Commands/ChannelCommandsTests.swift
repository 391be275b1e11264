import ParleyProtocol
import Testing

@Suite("Channel methods")
struct ChannelCommandsTests {
  private static let lobby = #""channel_url":"lobby""#

  @Test(
    "a channel_url is 4 to 100 characters of [A-Za-z0-9_-]",
    arguments: [
      Case(#""channel_url":"abcd""#), Case(#""channel_url":"AZaz09_-""#),
      Case(#""channel_url":"\#(text(100))""#),
      Case(#""channel_url":"abc""#, 400111, "channel_url"),
      Case(#""channel_url":"\#(text(101))""#, 400110, "channel_url"),
      Case(#""channel_url":"""#, 400105, "channel_url"),
      Case("", 400105, "channel_url"), Case(#""channel_url":null"#, 400105, "channel_url"),
      Case(#""channel_url":5"#, 400100, "channel_url"),
      Case(#""channel_url":"lobby é""#, 400151, "channel_url"),
      Case(#""channel_url":"lob/by""#, 400151, "channel_url"),
      Case(#""channel_url":"lobby\u0000""#, 400151, "channel_url"),
    ])
  func channelURL(_ sample: Case) throws {
    for method in ["channel.get", "channel.enter", "message.list", "message.send"] {
      try sample.check(method)
    }
  }

  @Test(
    "channel.create and channel.update",
    arguments: [
      Case(""), Case(#""name":"""#), Case(#""name":"\#(text(191))""#),
      Case(#""name":"\#(text(192))""#, 400110, "name"), Case(#""name":1"#, 400100, "name"),
      Case(#""cover_url":"http://\#(text(2041))""#),
      Case(#""cover_url":"data:text/html,x""#, 400111, "cover_url"),
      Case(#""cover_url":"\#(text(2049))""#, 400110, "cover_url"),
      Case(#""data":"\#(text(16_384))""#), Case(#""data":"\#(text(16_385))""#, 400110, "data"),
      Case(#""data":{}"#, 400100, "data"), Case(#""custom_type":"\#(text(128))""#),
      Case(#""custom_type":"\#(text(129))""#, 400110, "custom_type"),
      Case(#""operator_ids":\#(list((0..<100).map(String.init)))"#),
      Case(#""operator_ids":\#(list((0..<101).map(String.init)))"#, 400203, "operator_ids"),
      Case(#""operator_ids":"u""#, 400102, "operator_ids"),
      Case(#""operator_ids":[1]"#, 400100, "operator_ids"),
      Case(#""operator_ids":["\#(text(81))"]"#, 400305, "operator_ids"),
      Case(#""operator_ids":[""]"#, 400105, "operator_ids"),
    ])
  func fields(_ sample: Case) throws {
    try sample.check("channel.create")
    try sample.check("channel.update", Self.lobby)
  }

  @Test("a channel may be created without a channel_url, and ephemeral")
  func create() throws {
    guard
      case .channelCreate(let create) = try command(
        "channel.create", #""is_ephemeral":true,"operator_ids":["b","a","b"]"#)
    else {
      Issue.record("no channel.create")
      return
    }
    #expect(create.channelURL == nil)
    #expect(create.isEphemeral)
    #expect(create.fields.operatorIDs == ["b", "a"])
    #expect(create.fields.name == nil)
    #expect(
      try refusal("channel.create", #""is_ephemeral":1"#) == Refusal(400104, "is_ephemeral"))
    #expect(
      try refusal("channel.create", #""channel_url":"a b c""#) == Refusal(400151, "channel_url"))
  }

  @Test(
    "pages have 1 to 100 items",
    arguments: [
      Case(""), Case(#""limit":1"#), Case(#""limit":100"#), Case(#""limit":0"#, 400113, "limit"),
      Case(#""limit":101"#, 400113, "limit"), Case(#""limit":-1"#, 400106, "limit"),
      Case(#""limit":"10""#, 400101, "limit"), Case(#""token":"\#(text(2048))""#),
      Case(#""token":"\#(text(2561))""#, 400110, "token"), Case(#""token":1"#, 400100, "token"),
    ])
  func pages(_ sample: Case) throws {
    try sample.check("channel.list")
    try sample.check("channel.participants", Self.lobby)
  }

  @Test("a page has 10 items by default; an empty token requests the first page")
  func pageDefaults() throws {
    guard case .channelList(let list) = try command("channel.list", #""token":"""#) else {
      Issue.record("no channel.list")
      return
    }
    #expect(list == ChannelList(limit: 10))
  }

  @Test("the order of a list is one of the names, which a refusal lists")
  func order() throws {
    guard
      case .channelList(let list) = try command("channel.list", #""order":"latest_message""#)
    else {
      Issue.record("no channel.list")
      return
    }
    #expect(list == ChannelList(order: .latestMessage))
    do {
      _ = try command("channel.list", #""order":"newest""#)
      Issue.record("an unknown order was taken")
    } catch {
      for order in ChannelList.Order.allCases {
        #expect("\(error)".contains(order.rawValue))
      }
    }
  }

  @Test(
    "channel.list filters",
    arguments: [
      Case(#""name_contains":"x","url_contains":"y","custom_types":["","a"]"#),
      Case(#""name_contains":"\#(text(192))""#, 400110, "name_contains"),
      Case(#""url_contains":"\#(text(101))""#, 400110, "url_contains"),
      Case(#""show_frozen":false"#), Case(#""show_frozen":null"#),
      Case(#""show_frozen":"no""#, 400104, "show_frozen"),
      Case(#""frozen":"no""#, 400104, "frozen"), Case(#""frozen":false,"show_frozen":false"#),
      Case(#""frozen":true,"show_frozen":false"#, 400920, "frozen"),
      Case(#""order":"created""#), Case(#""order":null"#), Case(#""order":"participants""#),
      Case(#""order":"latest_message","frozen":true,"name_contains":"x""#),
      Case(#""order":"newest""#, 400111, "order"), Case(#""order":"Created""#, 400111, "order"),
      Case(#""order":1"#, 400100, "order"),
      Case(#""custom_types":"a""#, 400102, "custom_types"),
      Case(#""custom_types":[null]"#, 400100, "custom_types"),
      Case(#""custom_types":["\#(text(513))"]"#, 400110, "custom_types"),
      Case(#""custom_types":\#(list((0...100).map(String.init)))"#, 400203, "custom_types"),
    ])
  func filters(_ sample: Case) throws {
    try sample.check("channel.list")
  }

  @Test(
    "channel.enter with recover",
    arguments: [
      Case(#""recover":{"epoch":"e","seq":0}"#), Case(#""recover":null"#),
      Case(#""recover":[]"#, 400103, "recover"), Case(#""recover":{"seq":1}"#, 400105, "epoch"),
      Case(#""recover":{"epoch":"e"}"#, 400105, "seq"),
      Case(#""recover":{"epoch":"e","seq":-1}"#, 400106, "seq"),
      Case(#""recover":{"epoch":"e","seq":"1"}"#, 400101, "seq"),
      Case(#""recover":{"epoch":1,"seq":1}"#, 400100, "epoch"),
    ])
  func recover(_ sample: Case) throws {
    try sample.check("channel.enter", Self.lobby)
  }

  @Test("the position to recover from is parsed")
  func position() throws {
    guard
      case .channelEnter(let enter) = try command(
        "channel.enter", Self.lobby + #","recover":{"epoch":"e","seq":41}"#)
    else {
      Issue.record("no channel.enter")
      return
    }
    #expect(enter.recover == StreamPosition(epoch: "e", seq: 41))
  }
}
