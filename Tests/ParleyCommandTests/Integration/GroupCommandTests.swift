import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("makes and changes groups and their members")
  struct GroupCommandTests {
    private func server() throws -> ServerProcess {
      let server = try ServerProcess(CommandTests.quiet)
      for user in ["ada", "ben", "cleo"] { _ = try server.run("user", "create", user) }
      return server
    }

    /// The members of the group `trip` with their states, in order.
    private func members(_ server: ServerProcess) throws -> [String] {
      let page = try server.run("group", "members", "trip", "--json").json
      let members = page["members"].map { Array($0.elements) } ?? []
      return members.map { "\($0["user_id"]?.string ?? "") \($0["state"]?.string ?? "")" }
    }

    @Test("from creation to deletion")
    func groups() throws {
      let server = try server()
      let made = try server.run(
        "group", "create", "trip", "--user", "ben", "--user", "cleo", "--invited-by", "ada",
        "--name", "Trip", "--public", "--access-code", "code")
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.contains("public, access code"))
      #expect(made.output.contains("members     3\n"))
      #expect(try members(server) == ["ada joined", "ben joined", "cleo joined"])
      let updated = try server.run(
        "group", "update", "trip", "--no-public", "--access-code", "", "--data", "x", "--json")
      #expect(try updated.json["is_public"]?.bool == false)
      #expect(try updated.json["is_access_code_required"]?.bool == false)
      #expect(try updated.json["data"]?.string == "x")
      #expect(try server.run("group", "freeze", "trip").output.contains("private, frozen"))
      #expect(try !server.run("group", "unfreeze", "trip").output.contains("frozen"))
      let shown = try server.run("group", "show", "trip", "--user", "ada").output
      #expect(shown.contains("membership  joined, operator"), "\(shown)")
      #expect(try server.run("group", "delete", "trip").output == "trip is deleted\n")
      #expect(try server.run("group", "show", "trip").errors.contains("400201"))
    }

    @Test("lists them, counts what a user has not read, and hides them")
    func reading() throws {
      let server = try server()
      #expect(try server.run("group", "list").output == "no groups\n")
      for url in ["trip", "club"] {
        _ = try server.run("group", "create", url, "--user", "ada", "--user", "ben")
      }
      _ = try server.run("group", "create", "other", "--user", "ada", "--name", "Other")
      for text in ["one", "two"] {
        _ = try server.run("message", "send", "--group", "trip", text, "--user", "ada")
      }
      func urls(_ arguments: String...) throws -> [String] {
        let page = try server.run(["group", "list", "--json"] + arguments).json
        return page["channels"]?.elements.compactMap { $0["channel_url"]?.string } ?? []
      }
      #expect(try urls() == ["other", "club", "trip"])
      #expect(try urls("--name", "oth") == ["other"])
      #expect(try urls("--user", "ben") == ["club", "trip"])
      #expect(try server.run("group", "unread", "--user", "ben").output == "2\n")
      #expect(try server.run("group", "unread", "trip", "--user", "ben").output == "2\n")
      #expect(try server.run("group", "unread", "trip", "--user", "ada").output == "0\n")
      let read = try server.run("group", "mark-read", "trip", "--user", "ben")
      #expect(read.output == "ben has read trip\n", "\(read.errors)")
      #expect(try server.run("group", "unread", "--user", "ben").output == "0\n")
      let hidden = try server.run("group", "hide", "trip", "--user", "ben", "--archive")
      #expect(hidden.output == "ben has hidden trip\n", "\(hidden.errors)")
      #expect(
        try server.run("group", "list", "--user", "ben").output.contains("private, archived"))
      let shown = try server.run("group", "unhide", "trip", "--user", "ben")
      #expect(shown.output == "ben sees trip\n", "\(shown.errors)")
      #expect(try !server.run("group", "list", "--user", "ben").output.contains("archived"))
      #expect(try server.run("group", "hide", "trip", "--user", "cleo").status == 1)
    }

    @Test("with unknown users refused, and one group for the same users")
    func creation() throws {
      let server = try server()
      let unknown = try server.run("group", "create", "trip", "--user", "ada", "--user", "zoe")
      #expect(unknown.status == 1)
      #expect(unknown.errors.contains("400201"))
      #expect(try server.run("group", "create", "trip").status == 64)
      let users = ["--user", "ada", "--user", "ben", "--distinct", "--json"]
      let first = try server.run(["group", "create"] + users).json["channel_url"]?.string
      let second = try server.run(["group", "create"] + users).json["channel_url"]?.string
      #expect(first != nil && first == second)
    }

    @Test("with users who are invited, join, leave and are removed")
    func membership() throws {
      let server = try server()
      let client = try server.open("kim")
      try server.call(
        "PUT", "users/cleo/channel_invitation_preference", #"{"auto_accept":false}"#)
      _ = try server.run("group", "create", "trip", "--user", "ada", "--public")
      let invited = try server.run("group", "invite", "trip", "--user", "ben", "--user", "cleo")
      #expect(invited.output.split(separator: "\n").count == 3, "\(invited.output)")
      #expect(try members(server) == ["ada joined", "ben joined", "cleo invited"])
      let waiting = try server.run("group", "members", "trip", "--state", "invited").output
      #expect(waiting.contains("cleo") && !waiting.contains("ben"))
      #expect(
        try server.run("group", "accept", "trip", "--user", "cleo").output
          == "cleo joined trip\n")
      #expect(try server.run("group", "join", "trip", "--user", "kim").status == 0)
      try client.call("message.send") {
        $0.member("channel_url", "trip")
        $0.member("message", "hello")
      }
      #expect(try server.run("group", "leave", "trip", "--user", "ben").status == 0)
      #expect(try server.run("group", "remove", "trip", "--user", "cleo").status == 0)
      #expect(try members(server) == ["ada joined", "kim joined"])
      _ = try server.run("group", "invite", "trip", "--user", "cleo", "--invited-by", "ada")
      #expect(try server.run("group", "decline", "trip", "--user", "cleo").status == 0)
      #expect(try members(server) == ["ada joined", "kim joined"])
      #expect(try server.run("group", "decline", "trip", "--user", "cleo").status == 1)
    }

    @Test("whose operators keep their role when they leave, and lose it when they are removed")
    func operators() throws {
      let server = try server()
      _ = try server.run("group", "create", "trip", "--user", "ada", "--user", "ben")
      #expect(try server.run("group", "operators", "add", "trip", "ada", "ben").status == 0)
      _ = try server.run("group", "leave", "trip", "--user", "ada")
      _ = try server.run("group", "remove", "trip", "--user", "ben")
      _ = try server.run("group", "invite", "trip", "--user", "ada", "--user", "ben")
      let list = try server.run("group", "operators", "list", "trip", "--json").json
      #expect(list["operators"]?.elements.compactMap { $0["user_id"]?.string } == ["ada"])
    }

    @Test("with messages, moderation, metadata and counters")
    func shared() throws {
      let server = try server()
      _ = try server.run("group", "create", "trip", "--user", "ada", "--user", "ben")
      let sent = try server.run("message", "send", "--group", "trip", "hello", "--user", "ada")
      #expect(sent.status == 0, "\(sent.errors)")
      let stranger = try server.run(
        "message", "send", "--group", "trip", "hello", "--user", "cleo")
      #expect(stranger.errors.contains("900020"))
      #expect(try server.run("message", "admin", "--group", "trip", "noon").status == 0)
      let list = try server.run("message", "list", "--group", "trip", "--json").json
      let id = try #require(list["messages"]?.elements.first { _ in true }?["message_id"]?.integer)
      let extra = try server.run(
        "message", "metaarray", "add", "--group", "trip", "\(id)", "games=go")
      #expect(extra.output.contains("go"), "\(extra.errors)")
      #expect(try server.run("message", "count", "--group", "trip").output == "2\n")
      #expect(try server.run("moderation", "mute", "--group", "trip", "ben").status == 0)
      #expect(try server.run("group", "members", "trip").output.contains("joined, muted"))
      #expect(try server.run("group", "metadata", "set", "trip", "topic=go").status == 0)
      #expect(try server.run("group", "metadata", "show", "trip").output.contains("go"))
      #expect(
        try server.run("group", "metacounter", "increase", "trip", "likes=2").output
          == "likes  2\n")
    }

    @Test("and explains a URL of the other kind")
    func otherKind() throws {
      let server = try server()
      _ = try server.run("group", "create", "trip", "--user", "ada")
      _ = try server.run("channel", "create", "lobby")
      let taken = ["channel show trip", "message list trip", "moderation ban trip ada"]
      for command in taken {
        let outcome = try server.run(command.split(separator: " ").map(String.init))
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("\"trip\" is a group"), "\(outcome.errors)")
        #expect(outcome.errors.contains("(400201)"))
      }
      for command in ["group show lobby", "message list --group lobby"] {
        let outcome = try server.run(command.split(separator: " ").map(String.init))
        #expect(outcome.errors.contains("\"lobby\" is an open channel"), "\(outcome.errors)")
      }
      let missing = try server.run("message", "show", "--group", "trip", "5")
      #expect(missing.errors.contains("there is no message 5"), "\(missing.errors)")
    }
  }
}
