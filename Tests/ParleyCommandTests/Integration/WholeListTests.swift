import ParleyProtocol
import TestPeers
import Testing

extension CommandTests {
  @Suite("shows whole lists")
  struct WholeListTests {
    @Test("page by page, as a table and as one array")
    func users() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let ids = (1...230).map { "user-\($0)" }
      for id in ids {
        try server.call(
          "POST", "users", #"{"user_id":"\#(id)","nickname":"","profile_url":""}"#)
      }
      let array = try server.run("user", "list", "--all", "--json")
      #expect(array.status == 0, "\(array.errors)")
      let found = try array.json.elements.compactMap { $0["user_id"]?.string }
      #expect(found.count == 230 && Set(found) == Set(ids))
      // One element a line between the brackets.
      #expect(array.output.split(separator: "\n").count == 232)
      let table = try server.run("user", "list", "--all").output.split(separator: "\n")
      #expect(table.count == 231)
      #expect(table.filter { $0.contains("NICKNAME") }.count == 1)
      #expect(try server.run("user", "list", "--all", "--limit", "5").status == 64)
      #expect(try server.run("channel", "list", "--all", "--json").output == "[]\n")
      #expect(try server.run("channel", "list", "--all").output == "no channels\n")
      #expect(try server.run("channel", "participants", "nowhere", "--all", "--json").output == "")
    }

    @Test("messages from the first one on")
    func messages() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let client = try server.open("ada")
      try client.call("channel.create") { $0.member("channel_url", "lobby") }
      try client.call("channel.enter") { $0.member("channel_url", "lobby") }
      for number in 1...430 {
        try client.call("message.send") {
          $0.member("channel_url", "lobby")
          $0.member("message", "\(number)")
        }
      }
      let all = try server.run("message", "list", "lobby", "--all", "--json")
      // The array as a whole has more values than a document may have here.
      let elements = try all.output.split(separator: "\n").dropFirst().dropLast().map {
        try JSONDocument(String($0.hasSuffix(",") ? $0.dropLast() : $0)).root
      }
      let texts = elements.compactMap { $0["message"]?.string }
      #expect(texts == (1...430).map { "\($0)" }, "\(all.errors)")
      let id = try #require(elements[300]["message_id"]?.integer)
      let few = try server.run("message", "list", "lobby", "--all", "--before", "\(id)", "--json")
      #expect(few.output.split(separator: "\n").count == 302)
      #expect(try server.run("message", "count", "lobby").output == "430\n")
    }
  }
}
