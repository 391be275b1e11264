import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("lets back ends manage messages")
  struct PlatformMessageTests {
    private let messages = "open_channels/lobby/messages"

    private func lobby(_ flags: [String] = []) throws -> (ServerProcess, WireClient) {
      let server = try ServerProcess(flags)
      let jeff = try server.open("jeff")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try jeff.enter("lobby")
      return (server, jeff)
    }

    private func send(_ server: ServerProcess, _ text: String) throws -> Int64 {
      let sent = try server.call(
        "POST", messages, #"{"message_type":"MESG","user_id":"jeff","message":"\#(text)"}"#)
      return try #require(sent["message_id"]?.integer)
    }

    @Test(
      "a message sent for a user reaches all of the user's connections, even outside the channel")
    func sends() throws {
      let (server, jeff) = try lobby()
      _ = try server.open("ann")
      let sent = try server.call(
        "POST", messages,
        """
        {"message_type":"MESG","user_id":"ann","message":"hello","custom_type":"c","data":"d",
         "mention_type":"users","mentioned_user_ids":["jeff"],"dedup_id":"one",
         "sorted_metaarray":[{"key":"k","value":["v"]}]}
        """)
      #expect(sent["type"]?.string == "MESG")
      #expect(sent["channel_type"]?.string == "open_channels")
      #expect(sent["message"]?.string == "hello")
      #expect(sent["user"]?["user_id"]?.string == "ann")
      #expect(sent["user"]?["is_active"]?.bool == true)
      #expect(sent["user"]?["role"]?.string == "")
      #expect(sent["mentioned_users"]?.elements.map { $0["user_id"]?.string } == ["jeff"])
      #expect(sent["sorted_metaarray"]?.elements.map { $0["key"]?.string } == ["k"])
      #expect(sent["dedup_id"]?.string == "one")
      #expect(sent["file"]?.kind == .object)
      #expect(sent["og_tag"] == nil)
      #expect(sent["is_removed"]?.bool == false)
      #expect(sent["is_op_msg"]?.bool == false)
      #expect(sent["silent"]?.bool == false)
      #expect(sent["updated_at"]?.integer == 0)
      #expect(sent["created_at"]?.integer ?? 0 > 1_600_000_000_000)
      #expect(try jeff.event("message.received").messageID == sent["message_id"]?.integer)
      let own = try send(server, "from elsewhere")
      #expect(try jeff.event("message.received").messageID == own)
      let again = try server.call(
        "POST", messages,
        #"{"message_type":"MESG","user_id":"ann","message":"hello","dedup_id":"one"}"#)
      #expect(again["message_id"]?.integer == sent["message_id"]?.integer)
    }

    @Test("admin messages have no author, are always shown and count in no window")
    func adminMessages() throws {
      let (server, jeff) = try lobby()
      let ann = try server.open("ann")
      try ann.enter("lobby")
      for number in 1...8 {
        try server.call("POST", messages, #"{"message_type":"ADMM","message":"\#(number)"}"#)
      }
      for number in 1...8 {
        let event = try jeff.event("message.received")
        #expect(event.params?["message"]?["message"]?.string == "\(number)")
        #expect(event.params?["message"]?["user"] == nil)
        #expect(event.params?["message"]?["type"]?.string == "ADMM")
      }
      try ann.send("still shown", to: "lobby")
      let event = try jeff.event("message.received")
      #expect(event.params?["message"]?["message"]?.string == "still shown")
      let long = String(repeating: "a", count: 1001)
      #expect(
        try server.refusal("POST", messages, #"{"message_type":"ADMM","message":"\#(long)"}"#)
          == 400_110)
    }

    @Test("the flood limit exempts the back end, whose messages fill no user's window")
    func flood() throws {
      let (server, jeff) = try lobby(["--limits-flood-window-ms", "3600000"])
      for number in 1...7 { _ = try send(server, "\(number)") }
      for number in 1...5 { try jeff.send("own \(number)", to: "lobby") }
      let refusal = try jeff.refusal("message.send") {
        $0.member("channel_url", "lobby")
        $0.member("message", "one too many")
      }
      #expect(refusal.code == .flood)
    }

    @Test("a file is sent by its URL")
    func files() throws {
      let (server, jeff) = try lobby()
      let sent = try server.call(
        "POST", messages,
        """
        {"message_type":"FILE","user_id":"jeff","url":"https://a.b/c.png","file_name":"c.png",
         "file_size":5,"file_type":"image/png"}
        """)
      #expect(sent["type"]?.string == "FILE")
      #expect(sent["file"]?["url"]?.string == "https://a.b/c.png")
      #expect(sent["file"]?["name"]?.string == "c.png")
      #expect(sent["file"]?["size"]?.integer == 5)
      let event = try jeff.event("message.received")
      #expect(event.params?["message"]?["file"]?["type"]?.string == "image/png")
      #expect(
        try server.refusal("POST", messages, #"{"message_type":"FILE","user_id":"jeff"}"#)
          == 400_105)
    }

    @Test("refuses invalid messages")
    func refusals() throws {
      let (server, _) = try lobby()
      let keys = (0...10).map { #"{"key":"k\#($0)","value":[]}"# }.joined(separator: ",")
      for (json, code) in [
        ("{}", 400_105), (#"{"message_type":"MESG","message":"a"}"#, 400_105),
        (#"{"message_type":"LOVE","message":"a"}"#, 400_111),
        (#"{"message_type":"MESG","user_id":"nobody","message":"a"}"#, 400_201),
        (#"{"message_type":"MESG","user_id":"jeff","message":""}"#, 400_105),
        (#"{"message_type":"MESG","user_id":"jeff","message":3}"#, 400_100),
        (#"{"message_type":"ADMM","message":"a","mention_type":"all"}"#, 400_111),
        (#"{"message_type":"ADMM","message":"a","sorted_metaarray":[\#(keys)]}"#, 400_203),
      ] as [(String, Int64)] {
        #expect(try server.refusal("POST", messages, json) == code, "\(json)")
      }
      #expect(
        try server.refusal(
          "POST", "open_channels/none/messages", #"{"message_type":"ADMM","message":"a"}"#)
          == 400_201)
    }

    @Test("lists messages around a time or a message, by author, type and role")
    func lists() throws {
      let (server, _) = try lobby()
      let ids = try (1...5).map { try send(server, "\($0)") }
      try server.call("POST", messages, #"{"message_type":"ADMM","message":"note"}"#)
      func texts(_ query: String) throws -> [String?] {
        let list = try server.call("GET", messages + "?" + query)
        return list["messages"]?.elements.map { $0["message"]?.string } ?? []
      }
      #expect(try texts("message_ts=0") == ["1", "2", "3", "4", "5", "note"])
      #expect(try texts("message_id=\(ids[2])&prev_limit=1&next_limit=1") == ["2", "3", "4"])
      #expect(
        try texts("message_id=\(ids[2])&message_ts=0&prev_limit=1&next_limit=1&include=false")
          == ["2", "4"])
      #expect(try texts("message_ts=0&next_limit=2&reverse=true") == ["2", "1"])
      #expect(try texts("message_ts=0&message_type=ADMM") == ["note"])
      #expect(try texts("message_ts=0&sender_ids=nobody") == [])
      try server.call("POST", "open_channels/lobby/operators", #"{"operator_ids":["jeff"]}"#)
      _ = try send(server, "as operator")
      #expect(try texts("message_ts=0&operator_filter=operator") == ["as operator"])
      #expect(try texts("message_ts=0&operator_filter=nonoperator&sender_ids=jeff").count == 5)
      #expect(try server.call("GET", messages + "/total_count")["total"]?.integer == 7)
      #expect(try server.refusal("GET", messages) == 400_105)
      #expect(try server.refusal("GET", messages + "?message_ts=x") == 400_101)
      #expect(try server.refusal("GET", messages + "?message_ts=-1") == 400_106)
      #expect(try server.refusal("GET", messages + "?message_ts=0&prev_limit=201") == 400_113)
      #expect(try server.refusal("GET", messages + "?message_ts=0&include=x") == 400_104)
    }

    @Test("returns, changes and deletes a message of any author")
    func changes() throws {
      let (server, jeff) = try lobby()
      let id = try jeff.send("first", to: "lobby").id
      #expect(try server.call("GET", "\(messages)/\(id)")["message"]?.string == "first")
      let changed = try server.call(
        "PUT", "\(messages)/\(id)", #"{"message_type":"MESG","message":"second"}"#)
      #expect(changed["message"]?.string == "second")
      #expect(changed["updated_at"]?.integer ?? 0 > 0)
      // Not by this connection: it gets the event.
      let event = try jeff.event("message.updated")
      #expect(event.params?["message"]?["message"]?.string == "second")
      try server.call("DELETE", "\(messages)/\(id)")
      #expect(try jeff.event("message.deleted").messageID == id)
      #expect(try server.refusal("GET", "\(messages)/\(id)") == 400_201)
      #expect(try server.refusal("DELETE", "\(messages)/\(id)") == 400_201)
      #expect(try server.refusal("PUT", "\(messages)/\(id)", "{}") == 400_105)
      #expect(try server.refusal("GET", "\(messages)/x") == 400_930)
      #expect(try server.refusal("PUT", "\(messages)/mark_as_read", "{}") == 400_930)
      #expect(try server.refusal("DELETE", "\(messages)/total_count") == 400_930)
    }

    @Test("stores extra data with messages")
    func metaArrays() throws {
      let (server, jeff) = try lobby()
      let path = "\(messages)/\(try jeff.send("poll", to: "lobby").id)/sorted_metaarray"
      func arrays(_ node: JSONNode) -> [String] {
        node["sorted_metaarray"]?.elements.map { array in
          let values = array["value"]?.elements.compactMap(\.string) ?? []
          return "\(array["key"]?.string ?? ""):\(values.joined(separator: "+"))"
        } ?? []
      }
      let given = #"{"sorted_metaarray":[{"key":"a","value":["1"]},{"key":"b","value":[]}]}"#
      #expect(arrays(try server.call("POST", path, given)) == ["a:1", "b:"])
      _ = try jeff.event("message.updated")
      let more = #""sorted_metaarray":[{"key":"a","value":["2"]}]"#
      #expect(arrays(try server.call("PUT", path, "{\(more)}")) == ["a:1+2", "b:"])
      #expect(
        arrays(try server.call("PUT", path, #"{"mode":"remove",\#(more)}"#)) == ["a:1", "b:"])
      let new = #""sorted_metaarray":[{"key":"c","value":["3"]}]"#
      #expect(try server.refusal("PUT", path, "{\(new)}") == 400_201)
      #expect(
        arrays(try server.call("PUT", path, #"{"upsert":true,\#(new)}"#)) == ["a:1", "b:", "c:3"])
      #expect(arrays(try server.call("DELETE", path + "?keys=a,c,none")) == ["b:"])
      #expect(try server.refusal("DELETE", path) == 400_105)
      #expect(try server.refusal("POST", path, "{}") == 400_105)
      #expect(try server.refusal("PUT", path, #"{"mode":"x",\#(new)}"#) == 400_111)
    }

    @Test("without a translator, translation fails; ephemeral channels store nothing")
    func missing() throws {
      let (server, jeff) = try lobby()
      let id = try jeff.send("hi", to: "lobby").id
      let path = "\(messages)/\(id)/translation"
      #expect(try server.refusal("POST", path, #"{"target_langs":["de"]}"#) == 400_111)
      #expect(try server.refusal("POST", path, "{}") == 400_105)
      let wish = #""message":"hi","translation_target_langs":["es","de"]"#
      let message = try server.call(
        "POST", messages, #"{"message_type":"MESG","user_id":"jeff",\#(wish)}"#)
      #expect(message["translations"].map { $0.members.map(\.0) } == [])
      #expect(try jeff.event("message.received").params?["seq"]?.integer == 2)
      try server.call("POST", "open_channels", #"{"channel_url":"fleeting","is_ephemeral":true}"#)
      try jeff.enter("fleeting")
      let fleeting = "open_channels/fleeting/messages"
      try server.call("POST", fleeting, #"{"message_type":"ADMM","message":"now"}"#)
      #expect(try jeff.event("message.received").params?["seq"]?.integer == 1)
      #expect(try server.refusal("GET", fleeting + "?message_ts=0") == 400_201)
    }
  }
}
