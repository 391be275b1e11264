import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("lets back ends manage channels")
  struct PlatformChannelTests {
    @Test("creates, returns, changes and deletes a channel, and notifies its participants")
    func life() throws {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      let made = try server.call(
        "POST", "open_channels",
        """
        {"name":"Lobby","channel_url":"lobby","cover_url":"https://a.b/c","custom_type":"t",
         "data":"d","operator_ids":["jeff"],"is_ephemeral":null,"unheard_of":1}
        """)
      #expect(made["channel_url"]?.string == "lobby")
      #expect(made["name"]?.string == "Lobby")
      #expect(made["cover_url"]?.string == "https://a.b/c")
      #expect(made["custom_type"]?.string == "t")
      #expect(made["data"]?.string == "d")
      #expect(made["is_ephemeral"]?.bool == false)
      #expect(made["is_dynamic_partitioned"]?.bool == false)
      #expect(made["freeze"]?.bool == false)
      #expect(made["participant_count"]?.integer == 0)
      #expect(made["max_length_message"]?.integer == 5000)
      #expect(made["metadata"]?.kind == .object)
      #expect(made["operators"]?.elements.first { _ in true }?["user_id"]?.string == "jeff")
      let seconds = try #require(made["created_at"]?.integer)
      #expect((1_600_000_000..<100_000_000_000).contains(seconds))

      try jeff.enter("lobby")
      #expect(try server.call("GET", "open_channels/lobby")["participant_count"]?.integer == 1)
      let changed = try server.call("PUT", "open_channels/lobby", #"{"name":"Hall"}"#)
      #expect(changed["name"]?.string == "Hall")
      #expect(changed["data"]?.string == "d")
      let event = try jeff.event("channel.changed")
      #expect(event.params?["channel"]?["name"]?.string == "Hall")
      let gone = try server.call("DELETE", "open_channels/lobby")
      #expect(gone.members.contains { _ in true } == false)
      _ = try jeff.event("channel.deleted")
      #expect(try server.refusal("GET", "open_channels/lobby") == 400_201)
    }

    @Test(
      "refuses invalid values for a new channel",
      arguments: [
        (#"{"name":1}"#, 400_100), (#"{"is_ephemeral":"yes"}"#, 400_104),
        (#"{"operator_ids":"jeff"}"#, 400_102), (#"{"operator_ids":["nobody"]}"#, 400_201),
        (#"{"channel_url":"a b c d"}"#, 400_151), (#"{"channel_url":"abc"}"#, 400_111),
        (#"{"channel_url":"taken"}"#, 400_202),
        (#"{"name":"\#(String(repeating: "n", count: 192))"}"#, 400_110),
        (#"{"cover_url":"\#(String(repeating: "n", count: 2049))"}"#, 400_110),
        (#"{"custom_type":"\#(String(repeating: "n", count: 129))"}"#, 400_110),
        ("{", 400_403), ("[]", 400_403), (#"{"name":"a","name":"b"}"#, 400_403),
      ] as [(String, Int64)])
    func refusals(json: String, code: Int64) throws {
      let server = try ServerProcess()
      try server.call("POST", "open_channels", #"{"channel_url":"taken"}"#)
      #expect(try server.refusal("POST", "open_channels", json) == code)
    }

    @Test("lists channels by page, name, type, URL and frozen state, newest first")
    func lists() throws {
      let server = try ServerProcess()
      for number in 1...3 {
        try server.call(
          "POST", "open_channels",
          #"{"channel_url":"room-\#(number)","name":"Room \#(number)","custom_type":"t\#(number)"}"#
        )
      }
      try server.call("PUT", "open_channels/room-2/freeze", #"{"freeze":true}"#)
      func urls(_ query: String) throws -> [String] {
        let list = try server.call("GET", "open_channels?\(query)")
        return list["channels"]?.elements.compactMap { $0["channel_url"]?.string } ?? []
      }
      #expect(try urls("") == ["room-3", "room-2", "room-1"])
      #expect(try urls("name_contains=ROOM+1") == ["room-1"])
      #expect(try urls("url_contains=m-3") == ["room-3"])
      #expect(try urls("custom_types=t1,t3") == ["room-3", "room-1"])
      #expect(try urls("show_frozen=false") == ["room-3", "room-1"])
      #expect(try urls("channel_urls=room-1,room-2") == ["room-2", "room-1"])
      let first = try server.call("GET", "open_channels?limit=2")
      let token = try #require(first["next"]?.string)
      let second = try server.call("GET", "open_channels?limit=2&token=\(token)")
      #expect(second["channels"]?.elements.map { $0["channel_url"]?.string } == ["room-1"])
      #expect(second["next"]?.string == "")
      #expect(try server.refusal("GET", "open_channels?limit=101") == 400_113)
      #expect(try server.refusal("GET", "open_channels?limit=-1") == 400_106)
      #expect(try server.refusal("GET", "open_channels?limit=x") == 400_101)
      #expect(try server.refusal("GET", "open_channels?show_frozen=x") == 400_104)
      #expect(try server.refusal("GET", "open_channels?token=x") == 400_109)
    }

    @Test("lists the participants of a channel, and its muted users")
    func participants() throws {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try jeff.enter("lobby")
      try server.call("POST", "open_channels/lobby/mute", #"{"user_id":"jeff"}"#)
      let list = try server.call("GET", "open_channels/lobby/participants")
      let first = try #require(list["participants"]?.elements.first { _ in true })
      #expect(first["user_id"]?.string == "jeff")
      #expect(first["is_muted"]?.bool == true)
      #expect(first["is_online"]?.bool == true)
      #expect(first["last_seen_at"]?.integer == 0)
      #expect(list["next"]?.string == "")
      #expect(
        try server.refusal("GET", "open_channels/lobby/participants?token=!") == 400_109)
      #expect(try server.refusal("GET", "open_channels/none/participants") == 400_201)
    }

    @Test("freezing blocks users, but not the back end")
    func freezing() throws {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try jeff.enter("lobby")
      #expect(try server.call("PUT", "open_channels/lobby/freeze")["freeze"]?.bool == true)
      _ = try jeff.event("channel.frozen")
      let refusal = try jeff.refusal("message.send") {
        $0.member("channel_url", "lobby")
        $0.member("message", "hi")
      }
      #expect(refusal.code == .frozen)
      try server.call(
        "POST", "open_channels/lobby/messages",
        #"{"message_type":"MESG","user_id":"jeff","message":"all the same"}"#)
      let thawed = try server.call("PUT", "open_channels/lobby/freeze", #"{"freeze":false}"#)
      #expect(thawed["freeze"]?.bool == false)
      _ = try jeff.event("channel.unfrozen")
      #expect(
        try server.refusal("PUT", "open_channels/lobby/freeze", #"{"freeze":1}"#) == 400_104)
    }

    @Test("adds operators, lists them by page, and removes the role")
    func operators() throws {
      let server = try ServerProcess()
      for name in ["ann", "bob", "cleo"] { _ = try server.open(name) }
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      let path = "open_channels/lobby/operators"
      try server.call("POST", path, #"{"operator_ids":["ann","bob","cleo"]}"#)
      func listed(_ query: String) throws -> [String?] {
        let list = try server.call("GET", path + query)
        return list["operators"]?.elements.map { $0["user_id"]?.string } ?? []
      }
      #expect(try listed("?limit=2") == ["ann", "bob"])
      let token = try #require(try server.call("GET", path + "?limit=2")["next"]?.string)
      #expect(try listed("?limit=2&token=\(token)") == ["cleo"])
      try server.call("DELETE", path + "?operator_ids=ann,nobody")
      #expect(try listed("") == ["bob", "cleo"])
      try server.call("DELETE", path + "?delete_all=true")
      #expect(try listed("") == [])
      #expect(try server.refusal("DELETE", path) == 400_105)
      #expect(try server.refusal("POST", path, "{}") == 400_105)
      #expect(try server.refusal("POST", path, #"{"operator_ids":["nobody"]}"#) == 400_201)
      #expect(try server.refusal("GET", path + "?token=!") == 400_109)
    }
  }
}
