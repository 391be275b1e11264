import ParleyProtocol
import Testing

@Suite("Group methods")
struct GroupCommandsTests {
  private static let lobby = #""channel_url":"lobby""#

  /// A method of one group, as its command.
  private func group(_ method: String, _ members: String = "") throws -> GroupCommand {
    let all = [Self.lobby, members].filter { !$0.isEmpty }.joined(separator: ",")
    guard case .channel("lobby", .group(let command)) = try command(method, all) else {
      throw NoGroupCommand()
    }
    return command
  }

  private struct NoGroupCommand: Error {}

  // MARK: Creating and changing

  @Test(
    "group.create and group.update",
    arguments: [
      Case(""), Case(#""name":"\#(text(191))""#), Case(#""name":"\#(text(192))""#, 400110, "name"),
      Case(#""data":"\#(text(16_385))""#, 400110, "data"), Case(#""data":{}"#, 400100, "data"),
      Case(#""custom_type":"\#(text(129))""#, 400110, "custom_type"),
      Case(#""cover_url":"data:text/html,x""#, 400111, "cover_url"),
      Case(#""operator_ids":\#(list((0..<101).map(String.init)))"#, 400203, "operator_ids"),
      Case(#""is_public":true"#), Case(#""is_public":"true""#, 400104, "is_public"),
      Case(#""access_code":"\#(text(50))""#), Case(#""access_code":"""#),
      Case(#""access_code":"\#(text(51))""#, 400110, "access_code"),
      Case(#""access_code":1234"#, 400100, "access_code"),
      Case(#""cover_file_id":"f","cover_url":"https://a.example/c""#, 400920, "cover_file_id"),
    ])
  func fields(_ sample: Case) throws {
    try sample.check("group.create")
    try sample.check("group.update", Self.lobby)
  }

  @Test(
    "group.create",
    arguments: [
      Case(#""channel_url":"lobby""#), Case(#""channel_url":"a b c""#, 400151, "channel_url"),
      Case(#""user_ids":[]"#), Case(#""user_ids":\#(list((0..<100).map(String.init)))"#),
      Case(#""user_ids":\#(list((0..<101).map(String.init)))"#, 400203, "user_ids"),
      Case(#""user_ids":"ann""#, 400102, "user_ids"), Case(#""user_ids":[1]"#, 400100, "user_ids"),
      Case(#""user_ids":[""]"#, 400105, "user_ids"),
      Case(#""user_ids":["\#(text(81))"]"#, 400305, "user_ids"),
      Case(#""is_super":false"#), Case(#""is_super":true,"is_public":true"#),
      Case(#""is_super":true,"is_distinct":true"#, 400920, "is_distinct"),
      Case(#""is_super":1"#, 400104, "is_super"),
      Case(#""is_distinct":true,"is_public":false"#),
      Case(#""is_distinct":true,"is_public":true"#, 400920, "is_distinct"),
      Case(#""is_distinct":"yes""#, 400104, "is_distinct"),
      Case(#""is_ephemeral":1"#, 400104, "is_ephemeral"),
      Case(#""members_limit":0"#), Case(#""members_limit":100"#),
      Case(#""members_limit":101"#, 400113, "members_limit"),
      Case(#""members_limit":-1"#, 400106, "members_limit"),
      Case(#""members_limit":"10""#, 400101, "members_limit"),
    ])
  func creation(_ sample: Case) throws {
    try sample.check("group.create")
  }

  @Test("a group is created with what is given, and by default alone, private and whole")
  func create() throws {
    guard
      case .groupCreate(let whole) = try command(
        "group.create",
        #""channel_url":"lobby","user_ids":["b","a","b"],"name":"Tea","is_distinct":true,"#
          + #""is_ephemeral":true,"operator_ids":["a"],"access_code":"sesame","members_limit":7"#),
      case .groupCreate(let bare) = try command("group.create", "")
    else { throw NoGroupCommand() }
    #expect(whole.channelURL == "lobby" && whole.userIDs == ["b", "a"])
    #expect(whole.isDistinct && whole.isEphemeral && whole.memberLimit == 7)
    #expect(
      whole.fields
        == ChannelFields(name: "Tea", operatorIDs: ["a"], isPublic: nil, accessCode: "sesame"))
    #expect(bare.channelURL == nil && bare.userIDs == [] && bare.coverFileID == nil)
    #expect(!bare.isDistinct && !bare.isEphemeral && bare.memberLimit == 100)
    #expect(bare.fields == ChannelFields())
  }

  @Test("an update changes what is given, and needs a channel_url")
  func update() throws {
    guard
      case .groupUpdate(let update) = try command(
        "group.update", #"\#(Self.lobby),"is_public":true,"access_code":"""#)
    else { throw NoGroupCommand() }
    #expect(update.channelURL == "lobby" && update.coverFileID == nil)
    #expect(update.fields == ChannelFields(isPublic: true, accessCode: ""))
    #expect(try refusal("group.update", "") == Refusal(400105, "channel_url"))
  }

  @Test("channel.create and channel.update do not read the fields of groups")
  func openChannels() throws {
    let fields = #""is_public":true,"access_code":"sesame""#
    guard
      case .channelCreate(let create) = try command("channel.create", fields),
      case .channelUpdate(let update) = try command("channel.update", "\(Self.lobby),\(fields)")
    else { throw NoGroupCommand() }
    #expect(create.fields == ChannelFields() && update.fields == ChannelFields())
  }

  // MARK: Members

  @Test(
    "group.invite and group.remove name 1 to 100 users",
    arguments: [
      Case(#""user_ids":["ann"]"#), Case(#""user_ids":\#(list((0..<100).map(String.init)))"#),
      Case("", 400105, "user_ids"), Case(#""user_ids":null"#, 400105, "user_ids"),
      Case(#""user_ids":[]"#, 400111, "user_ids"),
      Case(#""user_ids":\#(list((0..<101).map(String.init)))"#, 400203, "user_ids"),
      Case(#""user_ids":"ann""#, 400102, "user_ids"), Case(#""user_ids":[7]"#, 400100, "user_ids"),
      Case(#""user_ids":["ann",""]"#, 400105, "user_ids"),
      Case(#""user_ids":["\#(text(81))"]"#, 400305, "user_ids"),
    ])
  func userIDs(_ sample: Case) throws {
    for method in ["group.invite", "group.remove"] { try sample.check(method, Self.lobby) }
  }

  @Test("a user that is named twice is invited once")
  func duplicates() throws {
    #expect(
      try group("group.invite", #""user_ids":["ben","ann","ben"]"#)
        == .change(.invite(["ben", "ann"])))
    #expect(
      try group("group.remove", #""user_ids":["ann","ann"]"#) == .change(.remove(["ann"])))
  }

  @Test("methods without further members need a channel_url")
  func plain() throws {
    let expected: [String: GroupCommand] = [
      "group.accept": .change(.accept), "group.decline": .change(.decline),
      "group.leave": .change(.leave), "group.delete": .delete,
      "group.get": .view(memberLimit: 100), "group.join": .change(.join(accessCode: "")),
    ]
    for (method, command) in expected {
      #expect(try group(method) == command)
      #expect(try refusal(method, "") == Refusal(400105, "channel_url"))
      #expect(try refusal(method, #""channel_url":"a/b/c""#) == Refusal(400151, "channel_url"))
    }
  }

  @Test(
    "group.join reads an access code",
    arguments: [
      Case(#""access_code":"\#(text(50))""#),
      Case(#""access_code":"\#(text(51))""#, 400110, "access_code"),
      Case(#""access_code":7"#, 400100, "access_code"),
    ])
  func accessCode(_ sample: Case) throws {
    try sample.check("group.join", Self.lobby)
  }

  @Test("an access code is joined with as it is given")
  func join() throws {
    #expect(
      try group("group.join", #""access_code":" Sesame ""#)
        == .change(.join(accessCode: " Sesame ")))
  }

  @Test(
    "group.get reads the number of members",
    arguments: [
      Case(#""members_limit":0"#), Case(#""members_limit":100"#),
      Case(#""members_limit":101"#, 400113, "members_limit"),
      Case(#""members_limit":-1"#, 400106, "members_limit"),
      Case(#""members_limit":"1""#, 400101, "members_limit"),
    ])
  func memberLimit(_ sample: Case) throws {
    try sample.check("group.get", Self.lobby)
  }

  @Test("the number of members is that of the request")
  func view() throws {
    #expect(try group("group.get", #""members_limit":0"#) == .view(memberLimit: 0))
    #expect(try group("group.get", #""members_limit":7"#) == .view(memberLimit: 7))
  }

  @Test(
    "group.members",
    arguments: [
      Case(""), Case(#""member_state":"all""#), Case(#""member_state":"joined""#),
      Case(#""member_state":"invited""#), Case(#""member_state":"left""#, 400111, "member_state"),
      Case(#""member_state":"""#, 400111, "member_state"),
      Case(#""member_state":1"#, 400100, "member_state"), Case(#""limit":1"#),
      Case(#""limit":100"#),
      Case(#""limit":0"#, 400113, "limit"), Case(#""limit":101"#, 400113, "limit"),
      Case(#""limit":"5""#, 400101, "limit"), Case(#""token":1"#, 400100, "token"),
    ])
  func members(_ sample: Case) throws {
    try sample.check("group.members", Self.lobby)
  }

  @Test("a page has 20 members of any state by default")
  func memberDefaults() throws {
    guard
      case .groupMembers(let standard) = try command("group.members", Self.lobby),
      case .groupMembers(let all) = try command(
        "group.members", #"\#(Self.lobby),"member_state":"all","token":"""#),
      case .groupMembers(let some) = try command(
        "group.members", #"\#(Self.lobby),"member_state":"invited","limit":7,"token":"t""#)
    else { throw NoGroupCommand() }
    #expect(standard == GroupMembers(channelURL: "lobby", limit: 20) && all == standard)
    #expect(
      some == GroupMembers(channelURL: "lobby", state: .invited, limit: 7, token: "t"))
    #expect(try refusal("group.members", "") == Refusal(400105, "channel_url"))
  }

  // MARK: The Platform API

  private func submission(_ members: String) throws -> GroupSubmission {
    try GroupSubmission(parameters(members))
  }

  private func refused(_ members: String) throws -> Refusal? {
    do { _ = try submission(members) } catch let error as ServiceError { return Refusal(error) }
    return nil
  }

  @Test("a group over the Platform API names its members as objects or as ids")
  func submissions() throws {
    let whole = try submission(
      #""users":[{"user_id":"a","nickname":"A"},{"user_id":"b"}],"user_ids":["c","a"],"#
        + #""inviter_id":"d","strict":true,"invitation_status":{},"hidden_status":null"#)
    #expect(whole.group.userIDs == ["a", "b", "c"] && whole.userIDs == ["a", "b", "c", "d"])
    #expect(whole.inviterID == "d" && whole.isStrict)
    let bare = try submission(#""user_ids":["a"]"#)
    #expect(bare.inviterID == nil && !bare.isStrict && bare.userIDs == ["a"])
    #expect(try submission(#""inviter_id":"d""#).userIDs == ["d"])
    let wrong = [
      "": Refusal(400105, "user_ids"), #""users":[]"#: Refusal(400105, "user_ids"),
      #""users":["a"]"#: Refusal(400103, "users"), #""users":[{}]"#: Refusal(400105, "user_id"),
      #""user_ids":["a"],"invitation_status":{"a":"joined"}"#:
        Refusal(400111, "invitation_status"),
      #""user_ids":["a"],"hidden_status":{"a":"hidden"}"#: Refusal(400111, "hidden_status"),
      #""user_ids":["a"],"block_sdk_user_channel_join":true"#:
        Refusal(400111, "block_sdk_user_channel_join"),
    ]
    for (members, expected) in wrong {
      #expect(try refused(members) == expected, "\(members)")
    }
  }

  @Test("unknown members are left out unless the submission is strict; somebody must be left")
  func unknownMembers() throws {
    let members = #""user_ids":["a","b"]"#
    var lenient = try submission(members)
    try lenient.keep(["b"])
    #expect(lenient.group.userIDs == ["b"])
    #expect(throws: ServiceError.notFound(.user, "a")) {
      var strict = try submission(members + #","strict":true"#)
      try strict.keep(["b"])
    }
    #expect(throws: ServiceError.notFound(.user, "a")) {
      var nobody = try submission(members)
      try nobody.keep([])
    }
    var invited = try submission(members + #","inviter_id":"c""#)
    try invited.keep(["c"])
    #expect(invited.userIDs == ["c"])
    #expect(throws: ServiceError.notFound(.user, "c")) {
      var uninvited = try submission(members + #","inviter_id":"c""#)
      try uninvited.keep(["a", "b"])
    }
  }

  // MARK: A member's own part

  @Test(
    "the message of group.mark_read is optional",
    arguments: [
      Case(""), Case(#""message_id":1"#), Case(#""message_id":9007199254740991"#),
      Case(#""message_id":0"#, 400113, "message_id"),
      Case(#""message_id":9007199254740992"#, 400113, "message_id"),
      Case(#""message_id":-1"#, 400106, "message_id"),
      Case(#""message_id":"1""#, 400101, "message_id"),
    ])
  func readMessage(_ sample: Case) throws {
    try sample.check("group.mark_read", Self.lobby)
  }

  @Test(
    "the message of group.mark_unread is required",
    arguments: [
      Case(#""message_id":1"#), Case("", 400105, "message_id"),
      Case(#""message_id":0"#, 400113, "message_id"),
      Case(#""message_id":9007199254740992"#, 400113, "message_id"),
      Case(#""message_id":true"#, 400101, "message_id"),
    ])
  func unreadMessage(_ sample: Case) throws {
    try sample.check("group.mark_unread", Self.lobby)
  }

  @Test(
    "group.hide, group.set_preference and group.typing",
    arguments: [
      ("group.hide", Case("")), ("group.hide", Case(#""allow_auto_unhide":false"#)),
      ("group.hide", Case(#""allow_auto_unhide":1"#, 400104, "allow_auto_unhide")),
      (
        "group.hide",
        Case(#""hide_previous_messages":"yes""#, 400104, "hide_previous_messages")
      ),
      ("group.set_preference", Case(#""count_preference":"all""#)),
      ("group.set_preference", Case("", 400105, "count_preference")),
      ("group.set_preference", Case(#""count_preference":"""#, 400111, "count_preference")),
      ("group.set_preference", Case(#""count_preference":"ALL""#, 400111, "count_preference")),
      ("group.set_preference", Case(#""count_preference":false"#, 400100, "count_preference")),
      ("group.typing", Case(#""is_typing":true"#)), ("group.typing", Case(#""is_typing":false"#)),
      ("group.typing", Case("", 400105, "is_typing")),
      ("group.typing", Case(#""is_typing":1"#, 400104, "is_typing")),
    ])
  func ownPart(method: String, sample: Case) throws {
    try sample.check(method, Self.lobby)
  }

  @Test("the changes of a member's own part are those of the requests")
  func ownChanges() throws {
    func own(_ method: String, _ members: String = "") throws -> OwnChange? {
      guard case .changeOwn(let change) = try group(method, members) else { return nil }
      return change
    }
    #expect(try own("group.mark_read") == .markRead(upTo: nil))
    #expect(try own("group.mark_read", #""message_id":7"#) == .markRead(upTo: 7))
    #expect(try own("group.mark_unread", #""message_id":7"#) == .markUnread(from: 7))
    #expect(try own("group.hide") == .hide(clearing: false, isArchived: false))
    #expect(
      try own("group.hide", #""allow_auto_unhide":true,"hide_previous_messages":true"#)
        == .hide(clearing: true, isArchived: false))
    #expect(
      try own("group.hide", #""allow_auto_unhide":false"#)
        == .hide(clearing: false, isArchived: true))
    #expect(try own("group.unhide") == .unhide)
    #expect(try own("group.reset_history") == .resetHistory)
    let names = ["all", "unread_message_count_only", "unread_mention_count_only", "off"]
    #expect(
      try names.map { try own("group.set_preference", #""count_preference":"\#($0)""#) }
        == [.prefer(.all), .prefer(.messagesOnly), .prefer(.mentionsOnly), .prefer(.off)])
    let options = ["default", "all", "mention_only", "off"]
    #expect(
      try options.map { try own("group.set_preference", #""push_trigger_option":"\#($0)""#) }
        == [.default, .all, .mentionOnly, .off].map { .preferPushes($0, counting: nil) })
    let both = #""push_trigger_option":"off","count_preference":"all""#
    #expect(try own("group.set_preference", both) == .preferPushes(.off, counting: .all))
  }

  @Test("group.recover names 1 to 100 groups with positions, each once")
  func recovery() throws {
    guard
      case .groupRecover(let recover) = try command(
        "group.recover",
        #""channels":[{"channel_url":"lobby","epoch":"e","seq":7},{"channel_url":"team","epoch":"f","seq":0}]"#
      )
    else { throw NoGroupCommand() }
    #expect(recover.parts.map(\.channelURL) == ["lobby", "team"])
    #expect(
      recover.parts.map(\.position) == [.init(epoch: "e", seq: 7), .init(epoch: "f", seq: 0)])
    func refused(_ list: String) throws -> Refusal? {
      try refusal("group.recover", #""channels":\#(list)"#)
    }
    let lobby = #"{"channel_url":"lobby","epoch":"e","seq":7}"#
    #expect(try refusal("group.recover", "") == Refusal(400105, "channels"))
    #expect(try refused("[]") == Refusal(400111, "channels"))
    #expect(try refused("7")?.field == "channels")
    #expect(try refused("[7]")?.field == "channels")
    #expect(try refused("[\(lobby),\(lobby)]") == Refusal(400111, "channels"))
    #expect(try refused(#"[{"channel_url":"lobby","epoch":"e"}]"#) == Refusal(400105, "seq"))
    #expect(try refused(#"[{"channel_url":"lobby","seq":1}]"#) == Refusal(400105, "epoch"))
    #expect(try refused(#"[{"epoch":"e","seq":1}]"#) == Refusal(400105, "channel_url"))
    #expect(try refused(#"[{"channel_url":"lobby","epoch":"e","seq":-1}]"#)?.field == "seq")
    let many = (0...100).map { #"{"channel_url":"group\#($0)","epoch":"e","seq":0}"# }
    #expect(try refused("[\(many.joined(separator: ","))]")?.field == "channels")
  }

  @Test("group.watch_totals needs to know whether to begin or to end")
  func watching() throws {
    for isOn in [true, false] {
      guard case .groupWatchTotals(isOn) = try command("group.watch_totals", #""on":\#(isOn)"#)
      else { throw NoGroupCommand() }
    }
    #expect(try refusal("group.watch_totals", "") == Refusal(400105, "on"))
    #expect(try refusal("group.watch_totals", #""on":"maybe""#)?.field == "on")
  }

  @Test("what was delivered is named by group, each once")
  func markDelivered() throws {
    let items = #"{"channel_url":"lobby","message_id":1},{"channel_url":"plaza","message_id":2}"#
    guard
      case .groupsMarkDelivered(let groups) = try command(
        "group.mark_delivered", #""channels":[\#(items)]"#)
    else { return #expect(Bool(false)) }
    #expect(
      groups.parts == [
        .init(channelURL: "lobby", messageID: 1), .init(channelURL: "plaza", messageID: 2),
      ])
    func refused(_ members: String) throws -> Refusal? {
      try refusal("group.mark_delivered", members)
    }
    #expect(try refused("") == Refusal(400105, "channels"))
    #expect(try refused(#""channels":[]"#) == Refusal(400111, "channels"))
    #expect(try refused(#""channels":["a"]"#)?.field == "channels")
    #expect(
      try refused(#""channels":[{"channel_url":"lobby"}]"#) == Refusal(400105, "message_id"))
    #expect(
      try refused(#""channels":[{"message_id":1}]"#) == Refusal(400105, "channel_url"))
    #expect(
      try refused(
        #""channels":[{"channel_url":"lobby","message_id":1},{"channel_url":"lobby","message_id":2}]"#
      )
        == Refusal(400111, "channels"))
    let many = (0...100).map { #"{"channel_url":"room\#($0)","message_id":1}"# }
    #expect(try refused(#""channels":[\#(many.joined(separator: ","))]"#)?.field == "channels")
  }

  @Test("every method of a group is known, and no other")
  func methods() {
    let names = Command.methodNames.filter { $0.hasPrefix("group.") }
    #expect(
      Set(names) == [
        "group.create", "group.get", "group.update", "group.delete", "group.invite",
        "group.accept", "group.decline", "group.join", "group.leave", "group.remove",
        "group.members", "group.hide", "group.unhide", "group.reset_history", "group.mark_read",
        "group.mark_unread", "group.set_preference", "group.list", "group.unread", "group.changes",
        "group.typing", "group.receipts", "group.recover", "group.watch_totals",
        "group.mark_delivered",
      ])
    #expect(throws: ServiceError.noSuchMethod("group.forget")) {
      try command("group.forget", Self.lobby)
    }
  }
}
