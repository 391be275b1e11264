import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("shows previews of links")
  struct PreviewTests {
    static let page = """
      <html><head><meta property="og:title" content="A page">
      <meta property="og:description" content="of the tests"></head></html>
      """
    static let settings = [
      "--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports", "1-65535",
    ]

    @Test("that the server finds, once as an update and then with the message")
    func servers() async throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let server = try ServerProcess(Self.settings)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      var events = lobby.events.makeAsyncIterator()
      let sent = try await lobby.sendUserMessage("see \(pages.url("/a"))")
      #expect(sent.ogMetaData == nil)
      let updated = try await events.first(\.updated)
      #expect(updated.messageID == sent.messageID)
      #expect(updated.ogMetaData?.title == "A page")
      #expect(updated.ogMetaData?.desc == "of the tests")
      #expect(updated.updatedAt == 0)
      let again = try await lobby.sendUserMessage("once more \(pages.url("/a"))")
      #expect(again.ogMetaData?.title == "A page")
    }

    @Test("that their sender made")
    func senders() async throws {
      let server = try ServerProcess(unlimited)
      let ann = try await server.client("ann")
      let lobby = try await ann.enterNewChannel()
      let preview = URLPreviewPayload(url: "https://a.b", siteName: "A", title: "B")
      let params = try UserMessageCreateParams(message: "look", preview: preview)
      let sent = try await lobby.sendUserMessage(params: params)
      #expect(sent.urlPreview == preview)
    }
  }
}
