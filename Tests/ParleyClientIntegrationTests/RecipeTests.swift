import Foundation
import ParleyClient
import Synchronization
import TestPeers
import TestSupport
import Testing

extension ClientTests {
  @Suite("runs the documented recipes")
  struct RecipeTests {
    /// Collects what recipes show.
    private final class Shown: Sendable {
      let lines = Mutex<[String]>([])

      func recipes(_ client: ParleyClient) -> Recipes {
        Recipes(client: client) { [self] line in lines.withLock { $0.append(line) } }
      }

      var all: [String] { lines.withLock { $0 } }

      func wait(for line: String) async throws {
        try await Deadline.standard.wait(for: "'\(line)'") { all.contains { $0.hasPrefix(line) } }
      }
    }

    @Test("whose code on the page equals the code tested here")
    func page() throws {
      let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let source = try String(
        contentsOf: here.appendingPathComponent("Support/Recipes.swift"), encoding: .utf8)
      let page = try String(
        contentsOf: here.appendingPathComponent(
          "../../Sources/ParleyClient/ParleyClient.docc/Recipes.md"), encoding: .utf8)
      let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { part in
        part.components(separatedBy: "\n```")[0]
      }
      #expect(blocks.count >= 8)
      for block in blocks {
        let indented = block.split(separator: "\n", omittingEmptySubsequences: false)
          .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
        #expect(source.contains(indented), "not in Recipes.swift:\n\(block)")
      }
    }

    @Test("for channels, extra data, moderation and handlers")
    func conversation() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let eve = try await server.client("eve")
      defer { withExtendedLifetime(eve) {} }
      let channel = try await ann.createOpenChannel(
        params: OpenChannelCreateParams(name: "Support", channelURL: "support"))
      try await channel.enter()
      let shown = Shown()
      let recipes = shown.recipes(ann)
      try await recipes.listChannels()
      #expect(shown.all == ["Support: 1 here"])
      try await recipes.poll(in: channel)
      #expect(shown.all.suffix(2) == ["yes: 1", "no: 0"])
      for number in 1...60 { try await channel.sendUserMessage("message \(number)") }
      try await recipes.listHistory(of: channel)
      #expect(
        shown.all.suffix(3) == ["the latest 30 messages", "30 before those", "1 before those"])
      try await recipes.moderate(channel)
      #expect(channel.isOperator(userID: "eve") && !channel.isFrozen)
      recipes.handlers(channel)
      #expect(shown.all.contains("sending hello"))
      try await shown.wait(for: "sent as ")
    }

    @Test("for files with progress")
    func files() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let channel = try await ann.enterNewChannel()
      let path = server.directory.path(of: "plan.bin")
      try Data(count: 300_000).write(to: URL(fileURLWithPath: path))
      let shown = Shown()
      try await shown.recipes(ann).sendFile(at: path, to: channel)
      #expect(shown.all.contains("300000 of 300000 bytes"))
      #expect(shown.all.last?.contains("/files/") == true)
    }

    @Test("for translations, which a server without a translation service refuses")
    func translations() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let channel = try await ann.enterNewChannel()
      let shown = Shown()
      let recipes = shown.recipes(ann)
      try await recipes.sendTranslated(to: channel)
      #expect(shown.all == ["Good morning"])
      let message = try await channel.sendUserMessage("hello")
      await #expect(throws: ParleyError.self) {
        try await recipes.translate(message, in: channel)
      }
    }

    @Test("for previews")
    func previews() async throws {
      let pages = try PageServer(page: PreviewTests.page)
      defer { pages.stop() }
      let server = try ServerProcess(PreviewTests.settings)
      let ann = try await server.client("ann")
      let channel = try await ann.enterNewChannel()
      let kim = try await server.client("kim")
      defer { withExtendedLifetime(kim) {} }
      let seen = try await kim.enterChannel()
      let shown = Shown()
      let recipes = shown.recipes(kim)
      let events = seen.events
      let showing = Task { await recipes.showPreviews(events) }
      defer { showing.cancel() }
      try await channel.sendUserMessage("see \(pages.url("/a"))")
      try await shown.wait(for: "A page")
    }
  }
}
