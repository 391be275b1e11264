import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("runs the examples")
  struct ExampleTests {
    @Test("an echo bot that repeats every message at any rate")
    func echoBot() async throws {
      let server = try ServerProcess([
        "--limits-flood-messages", "2", "--limits-flood-window-ms", "200",
        "--limits-throttle-messages", "0", "--unfurl-mode", "off",
      ])
      let bot = try ExampleProcess("echo-bot", ["--server", server.url, "echoes"])
      try await bot.wait(for: "listening in echoes")
      let ann = try await server.client("ann")
      let channel = try await ann.enterChannel("echoes")
      let kim = try await server.client("kim")
      let other = try await kim.enterChannel("echoes")
      var events = channel.events.makeAsyncIterator()
      for text in ["one", "two"] { try await channel.sendUserMessage(text) }
      for text in ["three", "four"] { try await other.sendUserMessage(text) }
      var echoes: [String] = []
      while echoes.count < 4 {
        let message = try await events.first(\.received)
        if message.sender?.userID == "echo-bot" { echoes.append(message.message) }
      }
      #expect(echoes == ["one", "two", "three", "four"])
    }

    @Test("a chat in the terminal")
    func terminalChat() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      try await lobby.sendUserMessage("before")
      let chat = try ExampleProcess("terminal-chat", ["--server", server.url, "lobby", "kim"])
      try await chat.wait(for: "-- Lobby, 2 here")
      try await chat.wait(for: "ann: before")
      var events = lobby.events.makeAsyncIterator()
      try chat.type("hello")
      #expect(try await events.first(\.received).message == "hello")
      try await lobby.sendUserMessage("hi kim")
      try await chat.wait(for: "ann: hi kim")
      let params = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
      params.fileName = "plan.pdf"
      try await lobby.sendFileMessage(params: params)
      try await chat.wait(for: "ann: [plan.pdf] https://files.example/plan.pdf")
      try await lobby.freeze()
      try chat.type("anyone?")
      try await chat.wait(for: "-- not sent: the channel is frozen")
      #expect(try chat.finish() == 0)
    }

    @Test("previews shown as cards")
    func previewRenderer() async throws {
      let pages = try PageServer(page: PreviewTests.page)
      defer { pages.stop() }
      let server = try ServerProcess(PreviewTests.settings)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let renderer = try ExampleProcess("preview-renderer", ["--server", server.url, "lobby"])
      try await renderer.wait(for: "watching lobby")
      try await lobby.sendUserMessage("see \(pages.url("/a"))")
      try await renderer.wait(for: "| A page\n| of the tests")
      let preview = URLPreviewPayload(url: "https://a.b", title: "Made by hand")
      let params = try UserMessageCreateParams(message: "look", preview: preview)
      try await lobby.sendUserMessage(params: params)
      try await renderer.wait(for: "| Made by hand\n| https://a.b")
    }

    @Test("which need only the libraries that the documentation names, and none of the server's")
    func libraries() throws {
      let libraries = try ExampleProcess.libraries(of: "echo-bot")
      for name in ["ssl", "crypto", "z", "psl", "idn2"] {
        #expect(libraries.contains { $0.hasPrefix("lib\(name).so") }, "\(name)")
      }
      for name in ["uring", "sqlite3", "pq", "hiredis", "curl"] {
        #expect(!libraries.contains { $0.hasPrefix("lib\(name).so") }, "\(name)")
      }
    }
  }
}
