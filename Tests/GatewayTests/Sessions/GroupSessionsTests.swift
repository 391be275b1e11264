import ParleyProtocol
import TestSupport
import Testing

@testable import Gateway

@Suite("Sessions of a group's members", .onOwnThreads)
struct GroupSessionsTests {
  private let gateway: RunningGateway

  init() throws {
    gateway = try RunningGateway()
  }

  private func client(_ userID: String, groups: Bool? = nil) throws -> GroupClient {
    try GroupClient(gateway, userID, groups: groups)
  }

  private func create(_ members: String, by client: GroupClient) throws {
    _ = try client.result("group.create", #""channel_url":"team",\#(members)"#)
  }

  @Test("members hear a group without entering, on every session, and the author by the answer")
  func hears() throws {
    let (ann, ben, second) = (try client("ann"), try client("ben"), try client("ann"))
    try create(#""user_ids":["ben"]"#, by: ann)
    let sent = try ann.result("message.send", #""channel_url":"team","message":"x""#)
    #expect(sent["message"]?["ordinal"]?.integer == 1)
    for client in [ben, second] {
      let event = try client.next("message.received")
      #expect(event["message"]?.raw == sent["message"]?.raw)
    }
    #expect(try !ann.methods().contains("message.received"))
  }

  @Test("a session that opens later is ready after it was added to the groups of its user")
  func opensLater() throws {
    let (ann, ben) = (try client("ann"), try client("ben"))
    try create(#""user_ids":["ben"]"#, by: ann)
    // The sessions have received group.ready.
    let sessions = try (0..<4).map { try client($0 % 2 == 0 ? "ann" : "ben") }
    _ = try ben.result("message.send", #""channel_url":"team","message":"x""#)
    for session in sessions + [ann] {
      #expect(try session.next("message.received")["message"]?["message"]?.string == "x")
    }
  }

  @Test("a session without groups is not ready and hears none, but calls work")
  func withoutGroups() throws {
    let (ann, deaf) = (try client("ann"), try client("ben", groups: false))
    let ben = try client("ben")
    try create(#""user_ids":["ben"]"#, by: ann)
    _ = try ann.result("message.send", #""channel_url":"team","message":"x""#)
    _ = try ben.next("message.received")
    #expect(try deaf.methods() == [])
    let sent = try deaf.result("message.send", #""channel_url":"team","message":"y""#)
    #expect(sent["message"]?["ordinal"]?.integer == 2)
    _ = try ben.next("message.received")
    _ = try ann.result("group.remove", #""channel_url":"team","user_ids":["ben"]"#)
    _ = try ben.next("group.lost")
    #expect(try deaf.methods() == [])
  }

  @Test("who is added hears that on each session, and then what follows")
  func joins() throws {
    let (ann, ben, second) = (try client("ann"), try client("ben"), try client("ben"))
    try create(#""user_ids":["eve"]"#, by: ann, existing: "eve")
    _ = try ann.result("group.invite", #""channel_url":"team","user_ids":["ben"]"#)
    _ = try ann.result("message.send", #""channel_url":"team","message":"x""#)
    for session in [ben, second] {
      #expect(try session.next("group.joined")["user"]?["user_id"]?.string == "ben")
      #expect(try session.next("message.received")["message"]?["ordinal"]?.integer == 1)
    }
    #expect(try ann.next("group.joined")["joined_member_count"]?.integer == 2)
    #expect(try ann.next("group.joined")["joined_member_count"]?.integer == 3)
  }

  private func create(_ members: String, by client: GroupClient, existing userID: String) throws {
    _ = try self.client(userID)
    try create(members, by: client)
  }

  @Test("who leaves hears the event and that the group is lost, and nothing more")
  func leaves() throws {
    let (ann, ben, second) = (try client("ann"), try client("ben"), try client("ben"))
    try create(#""user_ids":["ben"]"#, by: ann)
    #expect(try ben.call("group.leave", #""channel_url":"team""#)["result"]?.text == "{}")
    _ = try ann.next("group.left")
    _ = try ann.result("message.send", #""channel_url":"team","message":"x""#)
    _ = try ann.result("group.invite", #""channel_url":"team","user_ids":["ben"]"#)
    for session in [ben, second] {
      #expect(try session.next("group.left")["reason"]?.string == "left")
      #expect(try session.next("group.lost")["reason"]?.string == "left")
      _ = try session.next("group.joined")
      #expect(!session.dropped.contains("message.received"))
    }
  }

  @Test("the deletion of a group is the last that its members hear of it")
  func deletes() throws {
    let (ann, ben) = (try client("ann"), try client("ben"))
    try create(#""user_ids":["ben"]"#, by: ann)
    _ = try ann.result("group.delete", #""channel_url":"team""#)
    #expect(try ben.next("channel.deleted")["channel"]?["channel_url"]?.string == "team")
    #expect(try ben.next("group.lost")["reason"]?.string == "deleted")
    let gone = try ben.call("group.get", #""channel_url":"team""#)
    #expect(gone["error"]?["code"]?.integer == 400_201)
  }

  @Test("members neither enter nor exit a group")
  func kinds() throws {
    let ann = try client("ann")
    try create(#""name":"Team""#, by: ann)
    for method in ["channel.enter", "channel.exit", "channel.get", "channel.delete"] {
      let answer = try ann.call(method, #""channel_url":"team""#)
      #expect(answer["error"]?["code"]?.integer == 400_920, "\(method): \(answer.text)")
    }
  }

  @Test("the same users make the same distinct group, in any order")
  func distinct() throws {
    let (ann, ben) = (try client("ann"), try client("ben"))
    let first = try ann.result("group.create", #""user_ids":["ben"],"is_distinct":true"#)
    let again = try ben.result(
      "group.create", #""user_ids":["ann","ben"],"is_distinct":true,"name":"other""#)
    #expect(first["created"]?.bool == true && again["created"]?.bool == false)
    let url = try #require(first["channel"]?["channel_url"]?.string)
    #expect(again["channel"]?["channel_url"]?.string == url)
    #expect(again["channel"]?["my"]?["state"]?.string == "joined")
  }

  // MARK: Strangers

  /// Every method with a channel, and its members beside the URL.
  private static let calls: [(method: String, members: String)] = [
    ("channel.get", ""), ("channel.update", #""name":"n""#), ("channel.delete", ""),
    ("channel.enter", ""), ("channel.exit", ""), ("channel.participants", ""),
    ("channel.freeze", ""), ("channel.unfreeze", ""),
    ("channel.mute", #""user_id":"ann","seconds":60"#), ("channel.unmute", #""user_id":"ann""#),
    ("channel.ban", #""user_id":"ann","seconds":60"#), ("channel.unban", #""user_id":"ann""#),
    ("channel.add_operators", #""user_ids":["eve"]"#),
    ("channel.remove_operators", #""user_ids":["ann"]"#),
    ("group.get", ""), ("group.update", #""name":"n""#), ("group.delete", ""),
    ("group.invite", #""user_ids":["eve"]"#), ("group.remove", #""user_ids":["ann"]"#),
    ("group.accept", ""), ("group.decline", ""), ("group.join", ""),
    ("group.join", #""access_code":"sesame""#), ("group.leave", ""), ("group.members", ""),
    ("group.mark_read", ""), ("group.mark_read", #""message_id":1"#),
    ("group.mark_unread", #""message_id":1"#), ("group.hide", ""),
    ("group.hide", #""hide_previous_messages":true"#), ("group.unhide", ""),
    ("group.typing", #""is_typing":true"#), ("group.typing", #""is_typing":false"#),
    ("group.receipts", ""), ("group.reset_history", ""),
    ("group.set_preference", #""count_preference":"off""#),
    ("message.send", #""message":"x""#), ("message.send", #""message":"x","req_id":"r""#),
    ("message.update", #""message_id":1,"message":"y""#), ("message.delete", #""message_id":1"#),
    ("message.get", #""message_id":1"#), ("message.list", #""message_ts":1"#),
    ("message.changes", #""since":9007199254740991"#), ("message.changes", #""token":"x""#),
    ("message.search", #""query":"x""#),
    ("message.send_files", #""files":[{"url":"https://a.example/f"}]"#),
    ("message.translate", #""message_id":1,"target_langs":["de"]"#),
    ("message.report", #""message_id":1,"category":"spam""#),
    ("user.report", #""user_id":"ann","category":"spam""#),
    ("channel.report", #""category":"spam""#),
    ("message.create_metaarray_keys", #""message_id":1,"keys":["k"]"#),
    ("message.delete_metaarray_keys", #""message_id":1,"keys":["k"]"#),
    ("message.add_metaarray_values", #""message_id":1,"values":{"k":["v"]}"#),
    ("message.remove_metaarray_values", #""message_id":1,"values":{"k":["v"]}"#),
  ]

  @Test("a stranger gets the same answer from a private group as from a missing channel")
  func stranger() throws {
    let (ann, eve) = (try client("ann"), try client("eve"))
    try create(#""access_code":"sesame""#, by: ann)
    _ = try ann.result("message.send", #""channel_url":"team","message":"x""#)
    for (method, members) in Self.calls {
      let rest = members.isEmpty ? "" : ",\(members)"
      let answer = try eve.call(method, #""channel_url":"team"\#(rest)"#)
      let missing = try eve.call(method, #""channel_url":"none"\#(rest)"#)
      let error = try #require(missing["error"]?.text)
      #expect(answer["error"]?.text == error.replacing("none", with: "team"), "\(method)")
      #expect(!error.contains("400920"), "\(method)")
    }
    let marked = try ["team", "none"].map { url in
      let answer = try eve.call(
        "group.mark_delivered", #""channels":[{"channel_url":"\#(url)","message_id":1}]"#)
      return try #require(answer["error"]?.text).replacing("none", with: "team")
    }
    #expect(marked[0] == marked[1] && !marked[0].contains("400920"))
    // The group has not noticed.
    #expect(try ann.methods() == [])
  }

  @Test("all methods with a channel are among the calls of the stranger")
  func completeness() {
    let methods = Command.methodNames.filter {
      ($0.hasPrefix("channel.") || $0.hasPrefix("group.") || $0.hasPrefix("message."))
        && ![
          "channel.create", "channel.list", "group.create", "group.list", "group.unread",
          "group.changes", "group.recover", "group.watch_totals", "group.mark_delivered",
        ].contains($0)
    }
    let missing = Set(methods).subtracting(Self.calls.map(\.method))
    #expect(missing.isEmpty, "\(missing.sorted())")
  }
}
