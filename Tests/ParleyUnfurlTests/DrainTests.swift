import HTTP
import ParleyProtocol
import TestPeers
import TestSupport
import Testing
import Unfurler

@testable import parley_unfurl

@Suite("Preview server: shutdown", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct DrainTests {
  private static let question = #"{"url":"https://a.example/"}"#

  /// A server with one question unanswered, and who asked.
  private func withQuestion(
    drainTimeout: Int64 = 30_000
  ) throws -> (server: RunningServer, peer: HTTPPeer) {
    let server = try RunningServer { $0.drainTimeout = drainTimeout }
    let peer = try server.connect()
    try peer.sendPost(Self.question)
    _ = try server.unfurler.waitForLookUps(1)
    return (server, peer)
  }

  @Test("requests in progress are answered, and new ones are refused")
  func drains() throws {
    let (server, peer) = try withQuestion()
    let other = try server.connect()
    #expect(try other.request("GET", "/readyz").status == .ok)
    server.server.drain()
    try Deadline.standard.wait(for: "a server that is not ready") {
      try server.connect().request("GET", "/readyz").status == .serviceUnavailable
    }
    #expect(try server.connect().request("GET", "/healthz").status == .ok)
    let refused = try other.post(Self.question)
    #expect(refused.status == .serviceUnavailable)
    #expect(refused.text.hasPrefix(#"{"error":"cancelled""#))
    server.unfurler.lookUps[0].completion(UnfurlReport(.success(OpenGraphTag(title: "T"))))
    #expect(try peer.readResponse().text.contains(#""og:title":"T""#))
    #expect(try peer.seesEnd())
    server.server.waitUntilStopped()
    #expect(throws: TestFailure.self) { try server.connect() }
    #expect(server.unfurler.cancelled.isEmpty)
  }

  @Test("without a request in progress it ends at once and closes its connections")
  func idle() throws {
    let server = try RunningServer()
    let peer = try server.connect()
    #expect(try peer.request("GET", "/healthz").status == .ok)
    server.server.drain()
    #expect(try peer.seesEnd())
    peer.close()
    server.server.waitUntilStopped()
  }

  @Test(
    "at the time limit, or when hurried, unanswered requests are cancelled and answered with 503")
  func hurries() throws {
    for isHurried in [true, false] {
      let (server, peer) = try withQuestion(drainTimeout: isHurried ? 600_000 : 50)
      server.server.drain()
      if isHurried { server.server.hurry() }
      let response = try peer.readResponse()
      #expect(response.status == .serviceUnavailable)
      #expect(response.text.hasPrefix(#"{"error":"cancelled""#))
      #expect(server.unfurler.cancelled == ["https://a.example/"])
      // A completion that comes after the end harms nobody.
      peer.close()
      server.server.waitUntilStopped()
      server.unfurler.lookUps[0].completion(.cancelled)
    }
  }
}
