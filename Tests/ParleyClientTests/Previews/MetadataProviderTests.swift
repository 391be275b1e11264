import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import ParleyClient

@Suite("A fetch of a page's preview")
struct MetadataProviderTests {
  private typealias Outcome = Result<LinkMetadata, MetadataError>

  @Test(
    "has its own time limit, held within bounds",
    arguments: [
      (.seconds(1), 1000), (.microseconds(1_500_900), 1500), (.zero, 100), (.seconds(31), 30_000),
      (.seconds(Int64.max), 30_000), (.seconds(Int64.min), 100),
    ] as [(Duration, Int64)])
  func timeouts(timeout: Duration, milliseconds: Int64) {
    let call = PreviewCalls.fetch("https://a.b", within: timeout, "f")
    #expect(call.request.timeout == milliseconds)
    #expect(params(call).contains(#""timeout_ms":\#(milliseconds),"#))
  }

  @Test(
    "reports the reason of a failure as text",
    arguments: [
      (.failed("404"), "the page can't be fetched: 404"),
      (.unknown(""), "the page can't be fetched"),
      (.timedOut, "the page did not answer in time"), (.cancelled, "the fetch was cancelled"),
      (.refused(.rateLimited(retryAfter: .seconds(2))), "too many calls: try again in 2.0 seconds"),
    ] as [(MetadataError, String)])
  func words(error: MetadataError, words: String) {
    #expect(error.message == words)
    if case .refused = error {
      #expect(error.description == "\(words) (500910)")
    } else {
      #expect(error.description == words)
    }
  }

  @Test("is cancelled at once while there is no connection")
  func cancelledWithoutConnection() async throws {
    let server = try ScriptedServer { socket, number in
      let peer = try WebSocketPeer(socket)
      // The first connection ends here, the others wait for the answer.
      if number > 0 { return _ = try peer.closeCode() }
      try peer.answer(#"{"session_id":"s","user":\#(Sample.user)}"#)
    }
    defer { server.stop() }
    let client = try await server.client()
    try await Deadline.standard.wait(for: "the end of the connection") {
      if case .reconnecting = client.connectionState { true } else { false }
    }
    let provider = client.metadataProvider()
    let (outcomes, outcome) = AsyncStream.makeStream(of: Outcome.self)
    try provider.startFetchingMetadata(for: "https://a.b") { outcome.yield($0) }
    provider.cancel()
    provider.cancel()
    #expect(await outcomes.first { _ in true } == .failure(.cancelled))
    #expect(throws: MetadataError.alreadyStarted) {
      try provider.startFetchingMetadata(for: "https://a.b") { _ in }
    }
  }

  @Test("is cancelled without waiting for the server, which receives a cancel request")
  func cancelledWhileServerIsSilent() async throws {
    let requests = Mutex<[String]>([])
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(admitting: socket)
      while true {
        let request = try peer.nextRequest()
        requests.withLock {
          $0.append("\(request.method) \(request.params["fetch_id"]?.string ?? "")")
        }
      }
    }
    defer { server.stop() }
    let client = try await server.client()
    let provider = client.metadataProvider()
    let fetch = Task { try await provider.startFetchingMetadata(for: "https://a.b") }
    try await Deadline.standard.wait(for: "the fetch") { requests.withLock { $0.count == 1 } }
    provider.cancel()
    await #expect(throws: MetadataError.cancelled) { try await fetch.value }
    try await Deadline.standard.wait(for: "the end") { requests.withLock { $0.count == 2 } }
    let (first, last) = requests.withLock { ($0[0], $0[1]) }
    #expect(first.hasPrefix("preview.fetch "))
    #expect(last == first.replacing("fetch ", with: "cancel "))
  }
}
