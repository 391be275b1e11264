import Foundation
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

extension CommandTests {
  @Suite("takes part in conversations")
  struct ConversationCommandTests {
    private func command(_ server: ServerProcess, _ arguments: String...) throws -> CommandProcess {
      try CommandProcess(arguments, environment: server.commandEnvironment)
    }

    @Test("prints events in the order of their arrival, one line of JSON each")
    func watch() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("channel", "create", "lobby")
      let watch = try command(server, "watch", "lobby", "--user", "ada", "--json")
      try server.waitForParticipants(1)
      _ = try server.run("message", "admin", "lobby", "one\u{9b}31m")
      try watch.wait(for: "message.received")
      _ = try server.run("channel", "delete", "lobby")
      let outcome = try watch.waitForEnd()
      #expect(outcome.status == 1)
      let lines = try outcome.output.split(separator: "\n").map {
        try JSONDocument(String($0)).root
      }
      #expect(lines.map { $0["method"]?.string } == ["message.received", "channel.deleted"])
      let params = try #require(lines.first?["params"])
      #expect(params["seq"]?.integer == 1)
      let message = try #require(params["message"])
      #expect(message["message"]?.string == "one\u{9b}31m")
      #expect(message["type"]?.string == "ADMM")
      for member in ["file", "translations", "sorted_metaarray", "custom_type", "og_tag"] {
        #expect(message[member] != nil, "\(member)")
      }
    }

    @Test("sends piped lines, delaying those over the flood limit until it permits")
    func pipedChat() throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "2", "--limits-flood-window-ms", "200", "--unfurl-mode", "off",
      ])
      _ = try server.run("channel", "create", "lobby")
      let chat = try command(server, "chat", "lobby", "--user", "ada")
      try chat.type((1...7).map { "line \($0)\n" }.joined() + "//slash\n/who\nlast")
      let outcome = try chat.finish()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("1 here: ada"))
      let stored = try server.run("message", "list", "lobby", "--json").json
      #expect(
        stored["messages"]?.elements.compactMap { $0["message"]?.string }
          == (1...7).map { "line \($0)" } + ["/slash", "last"])
    }

    @Test("takes part in one group, without the events of others, until the membership ends")
    func group() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for user in ["ada", "ben"] { _ = try server.run("user", "create", user) }
      for group in ["trip", "other"] {
        _ = try server.run("group", "create", group, "--user", "ada", "--user", "ben")
      }
      _ = try server.run("message", "send", "--group", "trip", "earlier", "--user", "ben")
      let watch = try command(server, "watch", "--group", "trip", "--user", "ada", "--json")
      let chat = try command(server, "chat", "--group", "trip", "--user", "ada")
      // It prints nothing until there is an event.
      try Deadline.standard.wait(for: "the first event") {
        _ = try server.run("message", "admin", "--group", "trip", "first")
        return watch.hasPrinted("first")
      }
      try chat.wait(for: "ben: earlier")
      try chat.type("hello\n/who\n")
      try chat.wait(for: "2 members: ada, ben")
      // The other connections of the user receive what it sends.
      try watch.wait(for: "hello")
      _ = try server.run("message", "admin", "--group", "other", "elsewhere")
      _ = try server.run("message", "admin", "--group", "trip", "noon")
      try chat.wait(for: "admin: noon")
      _ = try server.run("group", "remove", "trip", "--user", "ben")
      try chat.wait(for: "ben left")
      _ = try server.run("group", "remove", "trip", "--user", "ada")
      for process in [chat, watch] {
        let outcome = try process.waitForEnd()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the membership ended"), "\(outcome.errors)")
        #expect(!outcome.output.contains("elsewhere"))
      }
      let lines = try watch.waitForEnd().output.split(separator: "\n").map {
        try JSONDocument(String($0)).root["method"]?.string
      }
      #expect(lines.suffix(4) == ["message.received", "group.left", "group.left", "group.lost"])
    }

    @Test("refuses a group that the user has not joined, and a channel of the other kind")
    func wrongChannels() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for user in ["ada", "ben"] { _ = try server.run("user", "create", user) }
      _ = try server.run("group", "create", "trip", "--user", "ada", "--public")
      _ = try server.run("channel", "create", "lobby")
      for command in ["chat", "watch"] {
        let stranger = try server.run(command, "--group", "trip", "--user", "ben")
        #expect(stranger.status == 1)
        #expect(stranger.errors.contains("parley group join"), "\(stranger.errors)")
        let open = try server.run(command, "--group", "lobby", "--user", "ada")
        #expect(open.errors.contains("\"lobby\" is an open channel"), "\(open.errors)")
        let group = try server.run(command, "trip", "--user", "ada")
        #expect(group.errors.contains("\"trip\" is a group"), "\(group.errors)")
      }
    }

    @Test("shows files by name, size and address, and ends silently after a piped file")
    func pipedFile() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("channel", "create", "lobby")
      let path = server.directory.path(of: "notes.txt")
      try "notes".write(toFile: path, atomically: false, encoding: .utf8)
      let chat = try command(server, "chat", "lobby", "--user", "ada")
      try chat.type("/file \(path)\n")
      let outcome = try chat.finish()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(
        outcome.output.contains("ada: [notes.txt, 5 bytes] http://127.0.0.1:\(server.port)/files/"))
      #expect(!outcome.output.contains("connected"), "\(outcome.output)")
    }

    @Test("shows earlier messages, messages of others, and notices of withheld messages")
    func listening() throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "0",
        "--limits-user-flood-messages", "0", "--limits-throttle-messages", "2",
        "--limits-throttle-window-ms", "3600000", "--unfurl-mode", "off",
      ])
      _ = try server.run("channel", "create", "lobby")
      _ = try server.run("user", "create", "kim", "--nickname", "Kim")
      _ = try server.run("message", "send", "lobby", "earlier", "--user", "kim")
      let chat = try command(server, "chat", "lobby", "--user", "ada")
      try chat.wait(for: "Kim: earlier")
      for number in 1...4 {
        _ = try server.run("message", "send", "lobby", "now \(number)", "--user", "kim")
      }
      try chat.wait(for: "Kim: now 2")
      try chat.wait(for: "more, from")
      try chat.type("/more\n")
      try chat.wait(for: "Kim: now 3")
      try chat.type("/quit\n")
      #expect(try chat.waitForEnd().status == 0)
    }
  }
}

extension ServerProcess {
  /// Waits until so many are in the lobby.
  fileprivate func waitForParticipants(_ count: Int64) throws {
    try Deadline.standard.wait(for: "\(count) participants") {
      try platform("/v3/open_channels/lobby").body["participant_count"]?.integer == count
    }
  }
}
