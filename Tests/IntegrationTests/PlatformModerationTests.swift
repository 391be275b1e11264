import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("lets back ends ban and mute")
  struct PlatformModerationTests {
    private let ban = "open_channels/lobby/ban"
    private let mute = "open_channels/lobby/mute"

    private func lobby() throws -> (ServerProcess, WireClient) {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try jeff.enter("lobby")
      return (server, jeff)
    }

    @Test("a ban notifies and removes the user, stays in effect, can be changed, and ends")
    func bans() throws {
      let (server, jeff) = try lobby()
      let made = try server.call(
        "POST", ban, #"{"user_id":"jeff","seconds":60,"description":"loud","agent_id":"boss"}"#)
      #expect(made["user"]?["user_id"]?.string == "jeff")
      #expect(made["description"]?.string == "loud")
      let start = try #require(made["start_at"]?.integer)
      #expect(made["end_at"]?.integer == start + 60_000)
      let event = try jeff.event("channel.user_banned")
      #expect(event.params?["seconds"]?.integer == 60)
      #expect(
        try jeff.refusal("channel.enter") { $0.member("channel_url", "lobby") }.code == .banned)
      #expect(
        try server.refusal(
          "POST", "open_channels/lobby/messages",
          #"{"message_type":"MESG","user_id":"jeff","message":"hi"}"#) == 400_750)

      let listed = try server.call("GET", ban)["banned_list"]
      #expect(listed?.elements.map { $0["user"]?["user_id"]?.string } == ["jeff"])
      #expect(try server.call("GET", ban + "/jeff")["description"]?.string == "loud")
      let changed = try server.call("PUT", ban + "/jeff", #"{"description":"very loud"}"#)
      #expect(changed["description"]?.string == "very loud")
      #expect(changed["end_at"]?.integer ?? 0 > start + 55_000)
      try server.call("DELETE", ban + "/jeff")
      try jeff.enter("lobby")
      #expect(try server.refusal("GET", ban + "/jeff") == 400_201)
      #expect(try server.refusal("PUT", ban + "/jeff", "{}") == 400_201)
      #expect(try server.refusal("DELETE", ban + "/jeff") == 400_201)
    }

    @Test("a mute keeps a user from sending until it ends, but not the back end")
    func mutes() throws {
      let (server, jeff) = try lobby()
      let made = try server.call("POST", mute, #"{"user_id":"jeff","seconds":60}"#)
      #expect(made["channel_url"]?.string == "lobby")
      _ = try jeff.event("channel.user_muted")
      let refusal = try jeff.refusal("message.send") {
        $0.member("channel_url", "lobby")
        $0.member("message", "hi")
      }
      #expect(refusal.code == .muted)
      try server.call(
        "POST", "open_channels/lobby/messages",
        #"{"message_type":"MESG","user_id":"jeff","message":"all the same"}"#)
      let view = try server.call("GET", mute + "/jeff")
      #expect(view["is_muted"]?.bool == true)
      #expect((1...60_000).contains(view["remaining_duration"]?.integer ?? 0))
      let listed = try server.call("GET", mute)["muted_list"]
      #expect(listed?.elements.map { $0["user_id"]?.string } == ["jeff"])
      try server.call("DELETE", mute + "/jeff")
      try jeff.send("hi", to: "lobby")
      let after = try server.call("GET", mute + "/jeff")
      #expect(after["is_muted"]?.bool == false)
      #expect(after["remaining_duration"]?.integer == 0)
      #expect(try server.refusal("DELETE", mute + "/jeff") == 400_201)
    }

    @Test("refuses invalid restrictions")
    func refusals() throws {
      let (server, _) = try lobby()
      let long = String(repeating: "d", count: 251)
      for (json, code) in [
        ("{}", 400_105), (#"{"user_id":7}"#, 400_100), (#"{"user_id":"nobody"}"#, 400_201),
        (#"{"user_id":"jeff","seconds":0}"#, 400_113),
        (#"{"user_id":"jeff","seconds":"1"}"#, 400_101),
        (#"{"user_id":"jeff","description":"\#(long)"}"#, 400_110),
      ] as [(String, Int64)] {
        #expect(try server.refusal("POST", ban, json) == code, "\(json)")
      }
      #expect(
        try server.refusal("POST", "open_channels/none/ban", #"{"user_id":"jeff"}"#) == 400_201)
      #expect(try server.refusal("GET", mute + "/nobody") == 400_201)
      #expect(try server.refusal("GET", mute + "?token=x") == 400_109)
    }
  }
}
