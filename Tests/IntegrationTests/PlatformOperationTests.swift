import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("lets operators monitor and control it")
  struct PlatformOperationTests {
    private func expectFlood(_ client: WireClient, after count: Int) throws {
      for number in 0..<count { try client.send("\(number)", to: "lobby") }
      let refusal = try client.refusal("message.send") {
        $0.member("channel_url", "lobby")
        $0.member("message", "one too many")
      }
      #expect(refusal.code == .flood)
      #expect(refusal.data.limit == Int64(count))
    }

    private func json(_ messages: Int, _ kind: String = "flood") -> String {
      #"{"\#(kind)":{"messages":\#(messages),"window_ms":3600000}}"#
    }

    @Test("limits apply immediately, the channel's before its type's before the deployment's")
    func limits() throws {
      let server = try ServerProcess()
      try server.call("POST", "open_channels", #"{"channel_url":"lobby","custom_type":"loud"}"#)
      var clients: [WireClient] = []
      for name in ["ann", "bob", "cleo", "dora"] {
        clients.append(try server.open(name))
        try clients.last?.enter("lobby")
      }
      #expect(try server.call("GET", "parley/limits")["flood"]?["messages"]?.integer == 5)
      let set = try server.call("PUT", "parley/limits", json(3))
      #expect(set["flood"]?["messages"]?.integer == 3)
      #expect(set["throttle"]?["messages"]?.integer == 5)
      try expectFlood(clients[0], after: 3)
      try server.call("PUT", "parley/limits/custom_types/loud", json(2))
      try expectFlood(clients[1], after: 2)
      let own = try server.call("PUT", "parley/limits/channels/lobby", json(1))
      #expect(own["flood"]?["window_ms"]?.integer == 3_600_000)
      try expectFlood(clients[2], after: 1)
      try server.call("DELETE", "parley/limits/channels/lobby")
      #expect(
        try server.call("GET", "parley/limits/channels/lobby")["flood"]?["messages"]?.integer == 2)
      try server.call("DELETE", "parley/limits/custom_types/loud")
      try expectFlood(clients[3], after: 3)
      try server.call("DELETE", "parley/limits")
      #expect(
        try server.call("GET", "parley/limits/channels/lobby")["flood"]?["messages"]?.integer == 5)
    }

    @Test("limits survive a restart, and a channel's new type applies its limits")
    func limitsStay() throws {
      let server = try ServerProcess()
      try server.call("PUT", "parley/limits/custom_types/loud", json(2))
      try server.call("PUT", "parley/limits", json(9, "throttle"))
      try server.stop()
      let next = try ServerProcess(in: server.directory)
      try next.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      let path = "parley/limits/channels/lobby"
      #expect(try next.call("GET", path)["throttle"]?["messages"]?.integer == 9)
      #expect(try next.call("GET", path)["flood"]?["messages"]?.integer == 5)
      try next.call("PUT", "open_channels/lobby", #"{"custom_type":"loud"}"#)
      #expect(try next.call("GET", path)["flood"]?["messages"]?.integer == 2)
    }

    @Test("keeps the omitted parts of a limit")
    func partialLimits() throws {
      let server = try ServerProcess(["--limits-flood-window-ms", "1500"])
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      func flood(_ path: String, _ json: String) throws -> [Int64?] {
        let limit = try server.call("PUT", path, "{\"flood\":\(json)}")["flood"]
        return [limit?["messages"]?.integer, limit?["window_ms"]?.integer]
      }
      #expect(try flood("parley/limits", #"{"messages":3}"#) == [3, 1_500])
      #expect(try flood("parley/limits", #"{"window_ms":2000}"#) == [3, 2_000])
      #expect(try flood("parley/limits/custom_types/loud", #"{"messages":9}"#) == [9, 2_000])
      #expect(try flood("parley/limits/channels/lobby", #"{"window_ms":100}"#) == [3, 100])
      #expect(try flood("parley/limits/channels/lobby", #"{"messages":1}"#) == [1, 100])
    }

    @Test("refuses invalid limits")
    func limitRefusals() throws {
      let server = try ServerProcess()
      let path = "parley/limits"
      for (json, code) in [
        ("{}", 400_105), (#"{"flood":5}"#, 400_103), (#"{"flood":{}}"#, 400_105),
        (#"{"flood":{"messages":-1,"window_ms":1}}"#, 400_106),
        (#"{"flood":{"messages":10001,"window_ms":1}}"#, 400_113),
        (#"{"throttle":{"messages":"1","window_ms":1}}"#, 400_101),
      ] as [(String, Int64)] {
        #expect(try server.refusal("PUT", path, json) == code, "\(json)")
      }
      #expect(try server.refusal("PUT", path + "/channels/none", json(1)) == 400_201)
    }

    @Test("explains what keeps a user from sending, without counting the query")
    func explanation() throws {
      let server = try ServerProcess()
      try server.call("POST", "open_channels", #"{"channel_url":"lobby","custom_type":"loud"}"#)
      try server.call("PUT", "parley/limits/custom_types/loud", json(2))
      let path = "parley/limits/explain?user_id=ann&channel_url=lobby"
      #expect(try server.refusal("GET", path) == 400_201)
      let ann = try server.open("ann")
      func codes() throws -> [Int64?] {
        let refusals = try server.call("GET", path)["refusals"]?.elements.map { $0 } ?? []
        return refusals.map { $0["code"]?.integer }
      }
      #expect(try codes() == [900_020])
      try ann.enter("lobby")
      #expect(try codes() == [])
      try ann.send("1", to: "lobby")
      let once = try server.call("GET", path)
      #expect(once["is_participant"]?.bool == true)
      #expect(once["flood"]?["messages"]?.integer == 2)
      #expect(once["flood"]?["source"]?.string == "custom_type")
      #expect(once["flood"]?["used"]?.integer == 1)
      #expect(once["throttle"]?["source"]?.string == "settings")
      for _ in 0..<10 { #expect(try codes() == []) }
      try ann.send("2", to: "lobby")
      try server.call(
        "POST", "open_channels/lobby/mute",
        #"{"user_id":"ann","seconds":600,"description":"noise"}"#)
      try server.call("PUT", "open_channels/lobby/freeze")
      let full = try server.call("GET", path)
      let refusals = full["refusals"]?.elements.map { $0 } ?? []
      #expect(refusals.map { $0["code"]?.integer } == [900_050, 900_041, 900_200])
      #expect(refusals[1]["description"]?.string == "noise")
      #expect(refusals[1]["end_at"]?.integer ?? 0 > 1_600_000_000_000)
      #expect((1...3_600_000).contains(full["flood"]?["retry_after_ms"]?.integer ?? 0))
      #expect(refusals[2]["retry_after_ms"]?.integer ?? 0 > 0)
      try server.call("POST", "open_channels/lobby/operators", #"{"operator_ids":["ann"]}"#)
      #expect(try server.call("GET", path)["throttle"]?["exemption"]?.string == "operator")
      #expect(try codes() == [900_041, 900_200])
      try server.call("PUT", "users/ann", #"{"is_active":false}"#)
      #expect(try codes().first == 400_300)
    }

    @Test("explaining does not load the channel into memory")
    func explanationOfIdleChannel() throws {
      let server = try ServerProcess()
      try server.open("ann").create("lobby")
      try server.stop()
      let next = try ServerProcess(in: server.directory)
      let path = "parley/limits/explain?channel_url=lobby"
      let explained = try next.call("GET", path + "&user_id=ann")
      #expect(explained["flood"]?["used"]?.integer == 0)
      #expect(explained["is_operator"]?.bool == true)
      #expect(try next.call("GET", "parley/status")["channels"]?.integer == 0)
      #expect(try next.refusal("GET", path) == 400_105)
      #expect(try next.refusal("GET", "parley/limits/explain?user_id=ann") == 400_105)
      #expect(try next.refusal("GET", "parley/limits/explain?user_id=ann&channel_url=x") == 400_201)
    }

    @Test("lists sessions by page and user, and closes a session")
    func sessions() throws {
      let server = try ServerProcess()
      var clients: [String: WireClient] = [:]
      for name in ["ann", "bob", "cleo"] { clients[name] = try server.open(name) }
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try clients["bob"]?.enter("lobby")
      var seen: [String] = []
      var token = ""
      repeat {
        let page = try server.call("GET", "parley/sessions?limit=2&token=\(token)")
        seen += page["sessions"]?.elements.compactMap { $0["user_id"]?.string } ?? []
        token = page["next"]?.string ?? ""
      } while !token.isEmpty
      #expect(seen.sorted() == ["ann", "bob", "cleo"])
      let bobs = try server.call("GET", "parley/sessions?user_id=bob")["sessions"]
      let session = try #require(bobs?.elements.first { _ in true })
      #expect(session["channel_urls"]?.elements.map(\.string) == ["lobby"])
      #expect(session["address"]?.string == "127.0.0.1")
      let id = try #require(session["session_id"]?.string)
      try server.call("DELETE", "parley/sessions/\(id)")
      #expect(try clients["bob"]?.waitForClose() == 1001)
      #expect(try server.refusal("DELETE", "parley/sessions/\(id)") == 400_201)
    }

    @Test("reports its version, its uptime and its counts, and drains on request")
    func status() throws {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      let status = try server.call("GET", "parley/status")
      #expect(status["version"]?.string?.isEmpty == false)
      #expect(status["uptime_ms"]?.integer ?? -1 >= 0)
      #expect(status["is_ready"]?.bool == true)
      #expect(status["sessions"]?.integer == 1)
      let counts = try server.call("GET", "parley/connections")
      #expect(counts["sessions"]?.integer == 1)
      #expect(counts["connections"]?.integer ?? 0 >= 1)
      try server.call("POST", "parley/drain")
      _ = try jeff.event("server.draining")
      #expect(try jeff.waitForClose() == 1001)
      #expect(try server.process.waitForEnd() == .exited(0))
    }

    @Test("calls beyond a token's rate are refused with the time to retry")
    func rate() throws {
      let server = try ServerProcess([
        "--limits-platform-calls-per-second", "1", "--limits-platform-calls-burst", "3",
      ])
      var codes: [Int64] = []
      for _ in 0..<5 { codes.append(try server.refusal("GET", "parley/status")) }
      #expect(codes.prefix(3).allSatisfy { $0 == 0 })
      #expect(codes.contains(500_910))
      #expect(try server.platform("/v3/parley/status", token: "wrong").status == 401)
    }
  }
}
