import HTTP
import LinkPreview
import ParleyProtocol
import Reactor
import TestSupport
import Testing
import Unfurler

@testable import parley_unfurl

@Suite("Preview server", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct UnfurlServerTests {
  private static let question = #"{"url":"https://a.example/","timeout_ms":3000}"#
  private static let found = UnfurlReport(
    .success(OpenGraphTag(title: "T")), freshness: .seconds(60))

  @Test("a request is answered with og_tag, on both paths, and the connection is kept")
  func answers() throws {
    let server = try RunningServer(ScriptedUnfurler { _ in Self.found })
    let peer = try server.connect()
    for path in ["/", "/unfurl", "/unfurl?x=y"] {
      let response = try peer.post(Self.question, to: path)
      #expect(response.status == .ok)
      #expect(response.fields["Content-Type"] == "application/json")
      #expect(response.fields["Cache-Control"] == "max-age=60")
      #expect(response.text.hasPrefix(#"{"og_tag":{"og:title":"T""#))
    }
    #expect(
      server.unfurler.lookUps.map(\.link.url) == Array(repeating: "https://a.example/", count: 3))
  }

  @Test("the time limit is the request's, 5 s by default, and never more than the setting's")
  func deadlines() throws {
    let server = try RunningServer(ScriptedUnfurler { _ in Self.found }) { $0.timeout = 7_000 }
    let peer = try server.connect()
    _ = try peer.post(Self.question)
    _ = try peer.post(#"{"url":"https://a.example/"}"#)
    _ = try peer.post(#"{"url":"https://a.example/","timeout_ms":30000}"#)
    #expect(server.unfurler.lookUps.map(\.deadline) == [.seconds(3), .seconds(5), .seconds(7)])
  }

  @Test("the unfurler may answer from its own thread, at any time")
  func answersLater() throws {
    let server = try RunningServer()
    let peers = try (0..<3).map { _ in try server.connect() }
    for (index, peer) in peers.enumerated() {
      try peer.sendPost(#"{"url":"https://a.example/\#(index)"}"#)
      _ = try server.unfurler.waitForLookUps(index + 1)
    }
    for (index, lookUp) in server.unfurler.lookUps.enumerated().reversed() {
      lookUp.completion(UnfurlReport(.success(OpenGraphTag(title: "\(index)"))))
      #expect(try peers[index].readResponse().text.contains(#""og:title":"\#(index)""#))
    }
  }

  @Test(
    "each failure has its status",
    arguments: [
      (UnfurlError.failed("status 404"), 502, #"{"error":"failed","message":"status 404"}"#),
      (.timedOut, 504, #"{"error":"timed_out","#), (.unknown, 500, #"{"error":"unknown","#),
      (.cancelled, 503, #"{"error":"cancelled","#),
    ])
  func failures(error: UnfurlError, status: UInt16, body: String) throws {
    let server = try RunningServer(ScriptedUnfurler { _ in UnfurlReport(.failure(error)) })
    let response = try server.connect().post(Self.question)
    #expect(response.status.code == status)
    #expect(response.text.hasPrefix(body))
  }

  @Test("a request from a web page is refused")
  func pages() throws {
    let server = try RunningServer()
    let peer = try server.connect()
    try peer.sendPost(Self.question, fields: ["Origin": "http://evil.example"])
    let response = try peer.readResponse()
    #expect(response.status == .forbidden)
    #expect(server.unfurler.lookUps.isEmpty)
  }

  @Test(
    "a malformed request is refused with the reason",
    arguments: [
      ("", "the body is not a JSON object"), ("{}", "url: a link is required"),
      (#"{"url":"ftp://x"}"#, "url: expected an absolute"),
      (#"{"url":"http://a.example","timeout_ms":0}"#, "timeout_ms: expected a whole number"),
    ])
  func badQuestions(json: String, message: String) throws {
    let server = try RunningServer()
    let response = try server.connect().post(json)
    #expect(response.status == .badRequest)
    #expect(response.text.hasPrefix(#"{"error":"failed","message":"\#(message)"#))
    #expect(server.unfurler.lookUps.isEmpty)
  }

  @Test("a request that is too long is refused, and much longer ones are not read")
  func longQuestions() throws {
    let server = try RunningServer()
    let long = try server.connect().post(String(repeating: " ", count: 20_000))
    #expect(long.status == .contentTooLarge)
    #expect(long.text.hasPrefix(#"{"error":"failed""#))
    #expect(try server.connect().post(String(repeating: " ", count: 200_000)).status.code == 413)
  }

  @Test("other paths, other methods and upgrades are refused")
  func refusals() throws {
    let server = try RunningServer()
    let peer = try server.connect()
    #expect(try peer.post(Self.question, to: "/v1/ws").status == .notFound)
    #expect(try peer.request("GET", "/unfurl/").status == .notFound)
    let method = try peer.request("GET", "/")
    #expect(method.status == .methodNotAllowed)
    #expect(method.fields["Allow"] == "POST")
    #expect(method.text.hasPrefix(#"{"error":"failed""#))
    #expect(try peer.post("", to: "/healthz").fields["Allow"] == "GET, HEAD")
    let upgrade = try peer.request(
      "GET", "/", fields: ["Connection": "Upgrade", "Upgrade": "websocket"])
    #expect(upgrade.status == .notFound)
    let offer = try peer.request(
      "GET", "/healthz", fields: ["Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c"])
    #expect(offer.status == .ok)
    #expect(server.unfurler.lookUps.isEmpty)
  }

  @Test("closing the connection cancels the look-up")
  func cancels() throws {
    let server = try RunningServer()
    let peer = try server.connect()
    try peer.sendPost(Self.question)
    let lookUps = try server.unfurler.waitForLookUps(1)
    peer.close()
    try server.unfurler.waitForCancellations(1)
    lookUps[0].completion(.cancelled)
    let metrics = try server.connect().request("GET", "/metrics").text
    #expect(metrics.contains(#"parley_unfurl_requests_total{outcome="abandoned"} 1"#))
    #expect(metrics.contains("parley_unfurl_in_flight 0"))
  }

  @Test("requests beyond the limit are refused with a retry delay")
  func busy() throws {
    let server = try RunningServer { $0.maximumPending = 2 }
    let peers = try (0..<2).map { _ in try server.connect() }
    for peer in peers { try peer.sendPost(Self.question) }
    let lookUps = try server.unfurler.waitForLookUps(2)
    let refused = try server.connect().post(Self.question)
    #expect(refused.status == .serviceUnavailable)
    #expect(refused.fields["Retry-After"] == "1")
    #expect(refused.fields["Cache-Control"] == "no-store")
    #expect(refused.text == #"{"error":"failed","message":"too many links are waiting"}"#)
    lookUps[0].completion(Self.found)
    #expect(try peers[0].readResponse().status == .ok)
    try peers[0].sendPost(Self.question)
    #expect(try server.unfurler.waitForLookUps(3).count == 3)
  }

  @Test("it reports its liveness, readiness and metrics")
  func operations() throws {
    let server = try RunningServer(ScriptedUnfurler { _ in Self.found })
    let peer = try server.connect()
    #expect(try peer.request("GET", "/healthz").text == "alive\n")
    #expect(try peer.request("GET", "/readyz").text == "ready\n")
    #expect(try peer.request("HEAD", "/readyz").status == .ok)
    _ = try peer.post(Self.question)
    _ = try peer.post("?")
    let metrics = try peer.request("GET", "/metrics").text
    #expect(metrics.contains(#"parley_unfurl_requests_total{outcome="preview"} 1"#))
    #expect(metrics.contains(#"parley_unfurl_requests_total{outcome="invalid"} 1"#))
    #expect(metrics.contains("parley_unfurl_duration_seconds_count 1"))
  }

  @Test("an address that is in use is refused by name")
  func addressInUse() throws {
    let server = try RunningServer()
    let error = #expect(throws: SystemError.self) {
      try RunningServer { $0.listen = server.server.addresses }
    }
    #expect(error?.object == "127.0.0.1:\(server.port)")
  }
}
