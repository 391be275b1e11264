import ParleyProtocol
import Testing
import TestPeers
import TestSupport

extension ServerTests {
  @Suite("lets back ends manage users")
  struct PlatformUserTests {
    @Test("creates, returns, changes and lists users")
    func life() throws {
      let server = try ServerProcess()
      let made = try server.call(
        "POST", "users",
        """
        {"user_id":"jeff & co/1","nickname":"Jeff","profile_url":"https://a.b/c",
         "metadata":{"font":"black"}}
        """)
      #expect(made["user_id"]?.string == "jeff & co/1")
      #expect(made["nickname"]?.string == "Jeff")
      #expect(made["access_token"]?.string == "")
      #expect(made["is_active"]?.bool == true)
      #expect(made["is_online"]?.bool == false)
      #expect(made["metadata"]?["font"]?.string == "black")
      #expect((1_600_000_000..<100_000_000_000).contains(made["created_at"]?.integer ?? 0))
      let path = "users/jeff%20%26%20co%2F1"
      #expect(try server.call("GET", path)["profile_url"]?.string == "https://a.b/c")
      let jeff = try server.open("jeff & co/1")
      #expect(try server.call("GET", path)["is_online"]?.bool == true)
      let changed = try server.call("PUT", path, #"{"nickname":"J"}"#)
      #expect(changed["nickname"]?.string == "J")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      try jeff.enter("lobby")
      let participants = try server.call("GET", "open_channels/lobby/participants")
      #expect(participants["participants"]?.elements.map { $0["nickname"]?.string } == ["J"])

      try server.call("POST", "users", #"{"user_id":"ann","nickname":"Ann"}"#)
      func listed(_ query: String) throws -> Set<String> {
        let list = try server.call("GET", "users?" + query)
        return Set(list["users"]?.elements.compactMap { $0["user_id"]?.string } ?? [])
      }
      #expect(try listed("") == ["jeff & co/1", "ann"])
      #expect(try listed("user_ids=ann,nobody") == ["ann"])
      #expect(try listed("nickname=Ann") == ["ann"])
      #expect(try listed("nickname_startswith=an") == ["ann"])
      #expect(try server.refusal("GET", "users?limit=0") == 400_113)
      #expect(try server.refusal("GET", "users?token=x") == 400_109)
    }

    @Test("refuses invalid users")
    func refusals() throws {
      let server = try ServerProcess()
      try server.call("POST", "users", #"{"user_id":"ann"}"#)
      let long = String(repeating: "u", count: 81)
      for (json, code) in [
        ("{}", 400_105), (#"{"user_id":1}"#, 400_100), (#"{"user_id":"\#(long)"}"#, 400_305),
        (#"{"user_id":"ann"}"#, 400_202), (#"{"user_id":"b","nickname":"\#(long)"}"#, 400_110),
        (#"{"user_id":"b","metadata":{"a":1}}"#, 400_100),
        (#"{"user_id":"b","issue_access_token":1}"#, 400_104),
        (#"{"user_id":"e\u0301"}"#, 400_151),
      ] as [(String, Int64)] {
        #expect(try server.refusal("POST", "users", json) == code, "\(json)")
      }
      for method in ["GET", "PUT", "DELETE"] {
        #expect(try server.refusal(method, "users/nobody") == 400_201)
      }
    }

    @Test("issues tokens that open sessions, and revokes them")
    func tokens() throws {
      let server = try ServerProcess(["--auth-mode", "token"])
      func open(_ token: String) throws -> WireClient {
        let client = try server.connect()
        try client.call("session.open") {
          $0.member("user_id", "jeff")
          $0.member("access_token", token)
        }
        return client
      }
      let made = try server.call("POST", "users", #"{"user_id":"jeff","issue_access_token":true}"#)
      let access = try #require(made["access_token"]?.string)
      _ = try open(access)
      let issued = try server.call("POST", "users/jeff/token")
      let session = try #require(issued["token"]?.string)
      #expect(issued["expires_at"]?.integer ?? 0 > 1_600_000_000_000)
      let client = try open(session)
      try server.call("DELETE", "users/jeff/token")
      #expect(try client.waitForClose() == 4002)
      #expect(throws: ServiceError.self) { try open(session) }
      _ = try open(access)
      let renewed = try server.call("PUT", "users/jeff", #"{"issue_access_token":true}"#)
      #expect(throws: ServiceError.self) { try open(access) }
      _ = try open(try #require(renewed["access_token"]?.string))
      #expect(try server.refusal("POST", "users/jeff/token", #"{"expires_at":1}"#) == 400_113)
      #expect(try server.refusal("POST", "users/nobody/token") == 400_201)
    }

    @Test("a new access token ends the sessions opened with the old one, and no others")
    func replacement() throws {
      let server = try ServerProcess(["--auth-mode", "token"])
      func open(_ token: String?) throws -> WireClient {
        let client = try server.connect()
        try client.call("session.open") {
          $0.member("user_id", "jeff")
          $0.member("access_token", token ?? "")
        }
        return client
      }
      let made = try server.call("POST", "users", #"{"user_id":"jeff","issue_access_token":true}"#)
      let first = try open(made["access_token"]?.string)
      let other = try open(try server.call("POST", "users/jeff/token")["token"]?.string)
      let renewed = try server.call("PUT", "users/jeff", #"{"issue_access_token":true}"#)
      #expect(try first.waitForClose() == 4002)
      try open(renewed["access_token"]?.string).call("session.ping")
      try other.call("session.ping")
    }

    @Test("returns when a user was last seen, once the last session has ended")
    func lastSeen() throws {
      let server = try ServerProcess()
      try server.call("POST", "users", #"{"user_id":"jeff"}"#)
      #expect(try server.call("GET", "users/jeff")["last_seen_at"]?.integer == 0)
      let (one, other) = (try server.open("jeff"), try server.open("jeff"))
      one.connection.stream.close()
      #expect(try server.call("GET", "users/jeff")["last_seen_at"]?.integer == 0)
      other.connection.stream.close()
      try Deadline.standard.wait(for: "the user to have been seen") {
        let user = try server.call("GET", "users/jeff")
        return user["is_online"]?.bool == false
          && user["last_seen_at"]?.integer ?? 0 > 1_600_000_000_000
      }
      let list = try server.call("GET", "users?user_ids=jeff")["users"]?.elements.map { $0 } ?? []
      #expect(list.first?["last_seen_at"]?.integer ?? 0 > 1_600_000_000_000)
    }

    @Test("users who are online when the server stops are recorded as seen")
    func lastSeenAtStop() throws {
      let server = try ServerProcess(["--reactors", "3"])
      let clients = try ["ann", "bob", "cleo"].map { try server.open($0) }
      try server.stop()
      let next = try ServerProcess(in: server.directory)
      for name in ["ann", "bob", "cleo"] {
        #expect(try next.call("GET", "users/\(name)")["last_seen_at"]?.integer ?? 0 > 0, "\(name)")
      }
      withExtendedLifetime(clients) {}
    }

    @Test("a deactivated user is disconnected, and can return after reactivation")
    func deactivation() throws {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      try server.call("POST", "open_channels", #"{"channel_url":"lobby"}"#)
      #expect(
        try server.call("PUT", "users/jeff", #"{"is_active":false}"#)["is_active"]?.bool == false)
      #expect(try jeff.waitForClose() == 4002)
      #expect(throws: ServiceError.self) { try server.open("jeff") }
      #expect(
        try server.refusal(
          "POST", "open_channels/lobby/messages",
          #"{"message_type":"MESG","user_id":"jeff","message":"hi"}"#) == 400_300)
      try server.call("PUT", "users/jeff", #"{"is_active":true}"#)
      _ = try server.open("jeff")
    }

    @Test("a deleted user loses sessions and roles, and the user's messages stay")
    func deletion() throws {
      let server = try ServerProcess()
      let jeff = try server.open("jeff")
      let ann = try server.open("ann")
      try server.call(
        "POST", "open_channels", #"{"channel_url":"lobby","operator_ids":["jeff"]}"#)
      for client in [jeff, ann] { try client.enter("lobby") }
      let id = try jeff.send("hi", to: "lobby").id
      try server.call("DELETE", "users/jeff")
      #expect(try jeff.waitForClose() == 4002)
      let event = try ann.event("channel.operators_changed")
      #expect(event.params?["operators"]?.elements.contains { _ in true } == false)
      #expect(try server.refusal("GET", "users/jeff") == 400_201)
      let message = try server.call("GET", "open_channels/lobby/messages/\(id)")
      #expect(message["user"]?["user_id"]?.string == "jeff")
    }
  }
}
