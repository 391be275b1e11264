import ParleyClient
import TestPeers
import TestSupport
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

    @Test("that the application requests, and that the server then has cached")
    func providers() async throws {
      let page = Self.page.replacing(
        "<head>", with: #"<head><meta property="og:site_name" content="S">"#)
      let pages = try PageServer(page: page)
      defer { pages.stop() }
      let server = try ServerProcess(Self.settings)
      let ann = try await server.client("ann")
      let url = pages.url("/a")
      let link = try #require(LinkDetector.firstMatch(in: "see \(url)!"))
      #expect(ann.features?.hasPreviews == true)
      let provider = ann.metadataProvider()
      let metadata = try await provider.startFetchingMetadata(for: link)
      #expect(metadata.url == url && metadata.siteName == "S" && !metadata.isCached)
      #expect(metadata.ogMetaData?.title == "A page")
      let payload = try #require(URLPreviewPayload(metadata))
      #expect(payload.siteName == "S" && payload.title == "A page")
      await #expect(throws: MetadataError.alreadyStarted) {
        try await provider.startFetchingMetadata(for: link)
      }
      let again = try await ann.metadataProvider().startFetchingMetadata(for: link)
      #expect(again.isCached && again.ogMetaData == metadata.ogMetaData)
      #expect(pages.requestedPaths == ["/a"])
    }

    @Test("or reports why there is none: a time-out, a cancellation, a failure")
    func providersThatFail() async throws {
      let pages = try PageServer(page: Self.page)
      defer { pages.stop() }
      let server = try ServerProcess(
        Self.settings + ["--limits-preview-fetches-per-second", "0"])
      let ann = try await server.client("ann")
      let hurried = ann.metadataProvider()
      hurried.timeout = .milliseconds(300)
      await #expect(throws: MetadataError.timedOut) {
        try await hurried.startFetchingMetadata(for: pages.url("/silent"))
      }
      let cancelled = ann.metadataProvider()
      let spinning = Task { try await cancelled.startFetchingMetadata(for: pages.url("/silent")) }
      try await pages.wasAsked(2)
      cancelled.cancel()
      await #expect(throws: MetadataError.cancelled) { try await spinning.value }
      let task = Task { [provider = ann.metadataProvider()] in
        try await provider.startFetchingMetadata(for: pages.url("/silent"))
      }
      try await pages.wasAsked(3)
      task.cancel()
      await #expect(throws: MetadataError.cancelled) { try await task.value }
      let early = ann.metadataProvider()
      early.cancel()
      await #expect(throws: MetadataError.cancelled) {
        try await early.startFetchingMetadata(for: pages.url("/a"))
      }
      await #expect(throws: MetadataError.failed("the page could not be fetched")) {
        try await ann.metadataProvider().startFetchingMetadata(for: "http://127.0.0.1:1/")
      }
      await #expect {
        try await ann.metadataProvider().startFetchingMetadata(for: "no link")
      } throws: { error in
        guard case MetadataError.refused(let refusal) = error else { return false }
        return refusal.code == 400_111
      }
    }

    @Test("that the sender made")
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

extension PageServer {
  /// Waits until this number of pages was requested.
  fileprivate func wasAsked(_ count: Int) async throws {
    try await Deadline.standard.wait(for: "\(count) requests") { requestedPaths.count >= count }
  }
}
