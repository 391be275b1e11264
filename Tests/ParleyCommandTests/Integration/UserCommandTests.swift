import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("manages users")
  struct UserCommandTests {
    @Test("from creation to deletion")
    func users() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let made = try server.run("user", "create", "ada", "--issue-access-token", "--json")
      #expect(try made.json["access_token"]?.string?.isEmpty == false, "\(made.errors)")
      #expect(try server.run("user", "create", "ada").status == 1)
      #expect(try server.run("user", "update", "ada", "--nickname", "Ada").output.contains("Ada"))
      #expect(try server.run("user", "list", "--nickname-prefix", "A").output.contains("offline"))
      let token = try server.run("user", "token", "issue", "ada", "--hours", "2", "--json")
      #expect(try token.json["token"]?.string?.isEmpty == false, "\(token.errors)")
      #expect(try server.run("user", "token", "revoke", "ada").status == 0)
      #expect(try server.run("user", "deactivate", "ada").output.contains("deactivated"))
      for (mode, isListed) in [("deactivated", true), ("activated", false)] {
        let listed = try server.run("user", "list", "--active-mode", mode)
        #expect(listed.status == 0 && listed.output.contains("ada") == isListed)
      }
      #expect(try server.run("user", "reactivate", "ada").output.contains("offline"))
      #expect(try server.run("user", "delete", "ada", "--yes").output == "ada is deleted\n")
      #expect(try server.run("user", "show", "ada").status == 1)
    }

    @Test("and makes them block each other")
    func blocks() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for name in ["ada", "jeff"] { _ = try server.run("user", "create", name) }
      #expect(try server.run("user", "blocked", "ada").output == "no users\n")
      let block = try server.run("user", "block", "ada", "jeff")
      #expect(block.output == "ada blocks jeff\n", "\(block.errors)")
      #expect(try server.run("user", "blocked", "ada").output.contains("jeff"))
      #expect(try server.run("user", "blocked", "jeff").output == "no users\n")
      let blockers = try server.run("user", "blocked", "jeff", "--reverse", "--json").json
      #expect(blockers["users"]?.elements.compactMap { $0["user_id"]?.string } == ["ada"])
      #expect(try server.run("user", "block", "ada", "ghost").status == 1)
      #expect(
        try server.run("user", "unblock", "ada", "jeff").output == "ada does not block jeff\n")
      #expect(try server.run("user", "blocked", "ada").output == "no users\n")
    }

    @Test("and chooses whether they join groups at once")
    func preferences() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for name in ["ada", "ben"] { _ = try server.run("user", "create", name) }
      let shown = try server.run("user", "preferences", "ada")
      #expect(shown.output.contains("at once"), "\(shown.errors)")
      let changed = try server.run("user", "preferences", "ada", "--no-auto-accept")
      #expect(changed.output.contains("when it accepts"), "\(changed.errors)")
      _ = try server.run("group", "create", "trip", "--user", "ben", "--user", "ada")
      let invited = try server.run("group", "members", "trip", "--state", "invited").output
      #expect(invited.contains("ada"))
      let json = try server.run("user", "preferences", "ada", "--auto-accept", "--json").json
      #expect(json["auto_accept"]?.bool == true)
      #expect(try server.run("user", "preferences", "ghost").status == 1)
    }

    @Test("and mutes or bans them")
    func moderation() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("user", "create", "jeff")
      _ = try server.run("channel", "create", "lobby")
      let mute = try server.run(
        "moderation", "mute", "lobby", "jeff", "--seconds", "1m", "--reason", "loud")
      #expect(mute.output == "jeff is muted in lobby for 60 seconds\n", "\(mute.errors)")
      let muted = try server.run("moderation", "list", "lobby", "mute").output
      #expect(muted.contains("jeff") && muted.contains("loud"))
      let both = try server.run("moderation", "list", "lobby").output
      #expect(both.contains("no banned users") && both.contains("loud"))
      #expect(try server.run("moderation", "unmute", "lobby", "jeff").status == 0)
      #expect(try server.run("moderation", "ban", "lobby", "jeff").status == 0)
      #expect(try server.run("moderation", "list", "lobby").output.contains("jeff"))
      let all = try server.run("moderation", "list-all", "--user", "jeff").output
      #expect(all.contains("banned") && all.contains("lobby"), "\(all)")
      #expect(try server.run("moderation", "list-all", "mute").output == "no bans and mutes\n")
      #expect(try server.run("moderation", "unban", "lobby", "jeff").status == 0)
      #expect(
        try server.run("moderation", "list", "lobby").output
          == "no banned users\nno muted users\n")
    }
  }
}
