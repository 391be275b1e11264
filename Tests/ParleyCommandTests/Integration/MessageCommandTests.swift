import Foundation
import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("sends, finds and changes messages")
  struct MessageCommandTests {
    @Test("of users and the administrator")
    func messages() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("user", "create", "ada", "--nickname", "Ada")
      _ = try server.run("channel", "create", "lobby")
      let sent = try server.run(
        "message", "send", "lobby", "Hello there", "--user", "ada", "--json")
      let id = try #require(try sent.json["message_id"]?.integer)
      #expect(try server.run("message", "admin", "lobby", "Closing soon").status == 0)
      let list = try server.run("message", "list", "lobby").output
      #expect(list.contains("Ada (ada): Hello there"))
      #expect(list.contains("(admin): Closing soon"))
      #expect(try Self.search(server, "HELLO", awaiting: 1)["message_id"]?.integer == id)
      #expect(try server.run("message", "search", "nothing").output == "no messages\n")
      let changed = try server.run("message", "update", "lobby", "\(id)", "Bye", "--mention", "ada")
      #expect(changed.output.contains("Bye") && changed.output.contains("mentions"))
      let update = try CommandProcess(
        ["message", "update", "lobby", "\(id)", "-"], environment: server.commandEnvironment)
      try update.type("Bye, all\n")
      let piped = try update.finish()
      #expect(piped.output.contains("Bye, all"), "\(piped.errors)")
      #expect(try server.run("message", "update", "lobby", "\(id)").status == 64)
      for _ in 0..<2 {
        #expect(
          try server.run("message", "admin", "lobby", "Once", "--dedup-id", "once").status == 0)
      }
      #expect(try Self.search(server, "once", awaiting: 1)["message"]?.string == "Once")
      #expect(try server.run("message", "show", "lobby", "\(id)").output.contains("edited"))
      #expect(try server.run("message", "delete", "lobby", "\(id)").status == 0)
      #expect(try server.run("message", "show", "lobby", "\(id)").status == 1)
    }

    @Test("of the administrator to several channels, and reports those that refuse")
    func severalChannels() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for url in ["lobby", "annex"] { _ = try server.run("channel", "create", url) }
      let sent = try server.run(
        "message", "admin", "lobby", "Closing", "--also", "nowhere", "--also", "annex")
      #expect(sent.status == 1)
      #expect(sent.errors.contains("nowhere: "), "\(sent.errors)")
      for url in ["lobby", "annex"] {
        #expect(try server.run("message", "list", url).output.contains("(admin): Closing"))
      }
      #expect(try server.run("message", "admin", "lobby", "x", "--also", "").status == 64)
      #expect(
        try server.run("message", "admin", "lobby", "Open", "--also", "annex").status == 0)
    }

    @Test("with files, uploaded or hosted elsewhere")
    func files() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run("user", "create", "ada")
      _ = try server.run("channel", "create", "lobby")
      let path = server.directory.path(of: "notes ü.txt")
      let content = Data(repeating: 42, count: 2_000_000)
      try content.write(to: URL(fileURLWithPath: path))
      let sent = try server.run(
        "message", "send", "lobby", "see, here", "--user", "ada", "--file", path, "--data",
        "@not;a\"file", "--json")
      #expect(sent.status == 0, "\(sent.errors)")
      let message = try sent.json
      #expect(message["message"]?.string == "see, here")
      #expect(message["data"]?.string == "@not;a\"file")
      #expect(message["file"]?["name"]?.string == "notes ü.txt")
      #expect(message["file"]?["type"]?.string == "text/plain")
      let url = try #require(message["file"]?["url"]?.string)
      let place = try #require(url.firstRange(of: "/files/"))
      #expect(try server.get(String(url[place.lowerBound...])).body == Array(content))
      let other = try server.run(
        "message", "send", "lobby", "--user", "ada", "--file-url", "https://a.example/b.png",
        "--file-name", "b.png", "--json")
      #expect(try other.json["file"]?["url"]?.string == "https://a.example/b.png")
      #expect(try server.run("message", "list", "lobby").output.contains(url))
      let tooMany = ["--file", path] + (1...4).flatMap { ["--thumbnail", "\($0)x1"] }
      for wrong in [
        [], ["--file", "/nonexistent"], ["--file", path, "--file-url", "https://a.example"],
        ["hi", "--file-name", "a"], ["hi", "--require-auth"], ["hi", "--thumbnail", "1x1"],
        ["--file", path, "--thumbnail", "0x1"], ["--file", path, "--thumbnail", "big"],
        ["--file-url", "https://a.example", "--require-auth"],
        ["--file-url", "https://a.example", "--translate", "es"],
        tooMany,
      ] {
        let refused = try server.run(["message", "send", "lobby", "--user", "ada"] + wrong)
        #expect(refused.status == 64, "\(wrong)")
      }
    }

    /// The newest message that a search finds once it finds a number of them.
    private static func search(
      _ server: ServerProcess, _ text: String, awaiting count: Int
    ) throws -> JSONNode {
      while true {
        let page = try server.run("message", "search", text, "--channel", "lobby", "--json").json
        if page["total_count"]?.integer == Int64(count),
          let first = page["results"]?.elements.first(where: { _ in true })
        {
          return first
        }
      }
    }

    @Test("and finds them by their words")
    func search() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let client = try server.open("ada")
      try client.call("channel.create") { $0.member("channel_url", "lobby") }
      try client.call("channel.enter") { $0.member("channel_url", "lobby") }
      for number in 1...450 {
        try client.call("message.send") {
          $0.member("channel_url", "lobby")
          $0.member("message", number % 200 == 1 ? "needle \(number)" : "hay")
        }
      }
      let last = try Self.search(server, "needle", awaiting: 3)
      #expect(last["message"]?.string == "needle 401")
      let few = try server.run(
        "message", "search", "needle", "--channel", "lobby", "--limit", "1", "--user", "ada")
      #expect(few.output.hasSuffix("1 of 3 messages\n"))
      #expect(try server.run("message", "search", "needle", "--channel", "none").status == 1)
      let state = try server.run("search", "--json").json
      #expect(state["messages"]?.integer == 450 && state["building"]?.bool == false)
      #expect(try server.run("search", "check").output == "200 messages were compared\n")
      #expect(try server.run("search", "rebuild").status == 0)
      _ = try Self.search(server, "needle", awaiting: 3)
    }
  }
}
