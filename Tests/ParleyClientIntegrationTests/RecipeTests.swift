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
        Recipes(client: client, show: note)
      }

      func groupRecipes(_ client: ParleyClient) -> GroupRecipes {
        GroupRecipes(client: client, show: note)
      }

      private var note: @Sendable (String) -> Void {
        { [self] line in lines.withLock { $0.append(line) } }
      }

      var all: [String] { lines.withLock { $0 } }

      func wait(for line: String) async throws {
        try await Deadline.standard.wait(for: "'\(line)'") { all.contains { $0.hasPrefix(line) } }
      }
    }

    @Test(
      "whose code on the page equals the code tested here",
      arguments: [("Recipes.md", "Recipes.swift", 9), ("Groups.md", "GroupRecipes.swift", 13)])
    func page(name: String, sourceName: String, count: Int) throws {
      let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      let source = try String(
        contentsOf: here.appendingPathComponent("Support/\(sourceName)"), encoding: .utf8)
      let page = try String(
        contentsOf: here.appendingPathComponent(
          "../../Sources/ParleyClient/ParleyClient.docc/\(name)"), encoding: .utf8)
      let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { part in
        part.components(separatedBy: "\n```")[0]
      }
      #expect(blocks.count >= count)
      for block in blocks {
        let indented = block.split(separator: "\n", omittingEmptySubsequences: false)
          .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
        #expect(source.contains(indented), "not in \(sourceName):\n\(block)")
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
      try await ann.awaitFound(1, "lunch")
      try await recipes.search(channel)
      #expect(shown.all.suffix(2) == ["found in support: Lunch?", "1 found"])
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

    @Test("for groups")
    func groups() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      let ben = try await connectedClient(to: proxy.url, "ben")
      for userID in ["cleo", "dan"] { await (try server.client(userID)).disconnect() }
      let shown = Shown()
      let (ofAnn, ofBen) = (shown.groupRecipes(ann), shown.groupRecipes(ben))
      let listening = Task { await ofBen.listen() }
      defer { listening.cancel() }
      let trip = try await ofAnn.create()
      try await shown.wait(for: "Trip: Who has the tickets?")
      try await ofAnn.invite(to: trip)
      #expect(shown.all.last == #"joined: ["dan"], invited: []"#)
      try await ofAnn.listMembers(of: trip)
      #expect(
        shown.all.suffix(4) == [
          "ann moderates", "ben takes part", "cleo takes part", "dan takes part",
        ])
      let params = GroupChannelCreateParams(name: "Club")
      params.channelURL = "club"
      params.isPublic = true
      params.accessCode = "open sesame"
      let club = try await ann.createGroupChannel(params: params)
      try await ofBen.join()
      try await ofBen.accept(try await ben.groupChannel(url: "club"))
      #expect(try await ben.groupChannel(url: "club").myMemberState == .joined)

      try await ofBen.listGroups()
      try await ofBen.total()
      let clubOfBen = try await ben.groupChannel(url: "club")
      try await ofBen.archive(clubOfBen)
      #expect(
        shown.all.suffix(3) == ["Trip: 1 unread", "1 unread in 1 groups", "archived: true"])
      try await ofBen.block()
      #expect(shown.all.last == #"blocked: ["dan"]"#)
      let badge = Task { try await ofBen.badge() }
      try await shown.wait(for: "badge: 0")
      badge.cancel()
      let following = Task { try await ofBen.read(clubOfBen) }
      defer { following.cancel() }
      // The first of them may precede the task.
      while !shown.all.contains("welcome") { try await club.sendUserMessage("welcome") }

      let group = try await ben.groupChannel(url: trip.url)
      let reading = Task { try await ofBen.readAgain(group) }
      defer { reading.cancel() }
      var events = ben.events.makeAsyncIterator()
      proxy.lead(to: 9)
      proxy.cutNow()
      try await events.first { if case .reconnecting = $0.connection { () } else { nil } }
      // More events than can be recovered.
      for number in 0...300 { try await trip.sendUserMessage("missed \(number)") }
      try await club.delete()
      proxy.lead(to: server.port)
      try await shown.wait(for: "the latest ")
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
