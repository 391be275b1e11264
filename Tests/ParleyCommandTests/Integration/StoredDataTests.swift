import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("manages the application's own data")
  struct StoredDataTests {
    @Test("counters of a channel")
    func metacounters() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("channel", "create", "lobby")
      func change(_ verb: String, _ items: String...) throws -> JSONNode {
        try CommandProcess(
          ["channel", "metacounter", verb, "lobby", "--json"] + items,
          environment: server.commandEnvironment
        ).finish().json
      }
      #expect(try change("set", "likes=5", "a=b=1")["a=b"]?.integer == 1)
      #expect(try change("increase", "likes=2", "views=3")["likes"]?.integer == 7)
      #expect(try change("decrease", "likes=10")["likes"]?.integer == -3)
      let shown = try server.run("channel", "metacounter", "show", "lobby")
      #expect(shown.output.contains("likes") && shown.output.contains("-3"))
      _ = try server.run("channel", "metacounter", "remove", "lobby", "likes")
      #expect(try change("show")["likes"] == nil)
      _ = try server.run("channel", "metacounter", "remove", "lobby", "--all")
      #expect(try server.run("channel", "metacounter", "show", "lobby").output == "no counters\n")
      #expect(try server.run("channel", "metacounter", "set", "lobby", "likes=x").status == 64)
    }

    @Test("metadata of a user")
    func userMetadata() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("user", "create", "ada")
      let set = try server.run("user", "metadata", "set", "ada", "team=red", "seat=4")
      #expect(set.status == 0, "\(set.errors)")
      #expect(try server.run("user", "metadata", "show", "ada").output.contains("red"))
      _ = try server.run("user", "metadata", "remove", "ada", "team")
      #expect(
        try server.run("user", "metadata", "show", "ada", "--json").output == "{\"seat\":\"4\"}\n")
    }

    @Test("extra data of a message")
    func metaArrays() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("channel", "create", "lobby")
      let sent = try server.run("message", "admin", "lobby", "poll", "--json").json
      let id = "\(try #require(sent["message_id"]?.integer))"
      let added = try server.run(
        "message", "metaarray", "add", "lobby", id, "games=chess", "games=go", "seats=4")
      #expect(added.output.contains("chess, go"), "\(added.errors)")
      let left = try server.run("message", "metaarray", "remove", "lobby", id, "games=chess")
      #expect(!left.output.contains("chess") && left.output.contains("go"), "\(left.errors)")
      let keys = try server.run("message", "metaarray", "remove-keys", "lobby", id, "games")
      #expect(!keys.output.contains("games") && keys.output.contains("seats"))
    }

    @Test("bans and mutes, one at a time")
    func restrictions() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for user in ["ada", "jeff"] { _ = try server.run("user", "create", user) }
      _ = try server.run("channel", "create", "lobby")
      _ = try server.run("moderation", "ban", "lobby", "jeff", "--reason", "loud")
      let changed = try server.run(
        "moderation", "update-ban", "lobby", "jeff", "--seconds", "10m", "--json"
      ).json
      let start = try #require(changed["start_at"]?.integer)
      #expect(changed["end_at"]?.integer == start + 600_000)
      #expect(changed["description"]?.string == "loud")
      #expect(try server.run("moderation", "show", "lobby", "jeff").output.contains("loud"))
      #expect(
        try server.run("moderation", "update-ban", "lobby", "ada", "--seconds", "5").status == 1)
      _ = try server.run("moderation", "mute", "lobby", "ada", "--seconds", "600")
      #expect(try server.run("moderation", "show", "lobby", "ada", "mute").output.contains("min"))
      _ = try server.run("moderation", "mute", "lobby", "jeff", "--description", "still loud")
      let both = try server.run("moderation", "show", "lobby", "jeff").output
      #expect(both.contains("banned") && both.contains("muted") && both.contains("still loud"))
      _ = try server.run("moderation", "unban", "lobby", "jeff")
      _ = try server.run("moderation", "unmute", "lobby", "jeff")
      let none = try server.run("moderation", "show", "lobby", "jeff")
      #expect(none.status == 1 && none.errors.contains("neither banned nor muted"))
      let free = try server.run("moderation", "show", "lobby", "jeff", "mute")
      #expect(free.output.contains("not muted"), "\(free.errors)")
    }
  }
}
