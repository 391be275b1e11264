import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("makes, changes and removes channels")
  struct ChannelCommandTests {
    @Test("from creation to deletion")
    func channels() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let made = try server.run("channel", "create", "lobby", "--name", "Löbby", "--json")
      #expect(try made.json["channel_url"]?.string == "lobby")
      #expect(made.status == 0)
      let list = try server.run("channel", "list", "--name", "löb")
      #expect(list.output.contains("CHANNEL"))
      #expect(list.output.contains("Löbby"))
      #expect(try server.run("channel", "freeze", "lobby").output.contains("frozen"))
      #expect(try server.run("channel", "list", "--unfrozen").output == "no channels\n")
      #expect(try server.run("channel", "unfreeze", "lobby").output.contains("open"))
      let updated = try server.run("channel", "update", "lobby", "--data", "a\u{1b}[31mb")
      #expect(updated.output.contains("a[31mb"))
      #expect(try server.run("channel", "participants", "lobby").output == "no participants\n")
      #expect(try server.run("channel", "delete", "lobby").output == "lobby is deleted\n")
      let gone = try server.run("channel", "show", "lobby")
      #expect(gone.status == 1)
      #expect(gone.errors.contains("400201"))
    }

    @Test("with their operators and metadata")
    func operators() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for user in ["ada", "jeff"] { _ = try server.run("user", "create", user) }
      _ = try server.run("channel", "create", "lobby", "--operator", "ada")
      #expect(try server.run("channel", "operators", "add", "lobby", "jeff").status == 0)
      let both = try server.run("channel", "operators", "list", "lobby", "--json").json
      #expect(both["operators"]?.elements.compactMap { $0["user_id"]?.string } == ["ada", "jeff"])
      _ = try server.run("channel", "operators", "remove", "lobby", "ada")
      #expect(try !server.run("channel", "operators", "list", "lobby").output.contains("ada"))
      let set = try server.run("channel", "metadata", "set", "lobby", "topic=a=b", "colour=red")
      #expect(set.status == 0, "\(set.errors)")
      let shown = try server.run("channel", "metadata", "show", "lobby").output
      #expect(shown.contains("topic") && shown.contains("a=b"))
      _ = try server.run("channel", "metadata", "remove", "lobby", "topic")
      #expect(try !server.run("channel", "metadata", "show", "lobby").output.contains("topic"))
    }
  }
}
