import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Responses of a preview service")
struct UnfurlAnswerTests {
  static let tag = OpenGraphTag(
    title: "Title", url: "https://example.com/", description: "Text",
    image: OpenGraphImage(
      url: "https://example.com/a.png", secureURL: "https://example.com/a.png", type: "image/png",
      width: 1_200, height: 630, alt: "A picture"))

  private func answer(
    _ json: String, status: Int = 200, cacheControl: String? = nil
  ) -> UnfurlAnswer {
    UnfurlAnswer(status: status, cacheControl: cacheControl, body: Array(json.utf8))
  }

  private func tag(_ json: String) throws -> OpenGraphTag? {
    try answer(#"{"og_tag":\#(json)}"#).report().outcome.get()
  }

  @Test("a preview is a 200 with og_tag, a page without one a 200 with null")
  func successes() throws {
    let found = UnfurlAnswer(UnfurlReport(.success(Self.tag), freshness: .seconds(60)))
    #expect(found.status == 200)
    #expect(found.cacheControl == "max-age=60")
    #expect(String(decoding: found.body, as: UTF8.self).hasPrefix(#"{"og_tag":{"og:title":"#))
    let none = UnfurlAnswer(UnfurlReport(.success(nil)))
    #expect(none.cacheControl == nil)
    #expect(String(decoding: none.body, as: UTF8.self) == #"{"og_tag":null}"#)
  }

  @Test(
    "every failure has its status and its error code",
    arguments: [
      (UnfurlError.cancelled, 503, "cancelled"), (.failed("status 404"), 502, "failed"),
      (.timedOut, 504, "timed_out"), (.unknown, 500, "unknown"),
    ])
  func failures(error: UnfurlError, status: Int, word: String) throws {
    let answer = UnfurlAnswer(UnfurlReport(.failure(error)))
    #expect(answer.status == status)
    let root = try JSONDocument(answer.body).root
    #expect(root["error"]?.string == word)
    #expect(root["message"]?.string?.isEmpty == false)
    #expect(try answer.report().outcome == .failure(error))
  }

  @Test("a report is read back as it was written")
  func roundTrip() throws {
    var trace = UnfurlTrace()
    trace.emptiness = "nothing \"there\""
    let outcomes: [Result<OpenGraphTag?, UnfurlError>] = [
      .success(Self.tag), .success(nil), .failure(.failed("no")), .failure(.timedOut),
      .failure(.unknown),
    ]
    for outcome in outcomes {
      for freshness in [Freshness.unspecified, .seconds(0), .seconds(86_400)] {
        let report = UnfurlReport(outcome, freshness: freshness, trace: trace)
        let told = try UnfurlAnswer(report).report()
        #expect(told.outcome == outcome)
        #expect(told.freshness == freshness)
        #expect(told.trace == trace)
      }
    }
  }

  @Test("a trace that would make a response too long to be read is omitted")
  func longTrace() throws {
    var request = RequestTrace(url: "https://example.com/", purpose: .page)
    request.contentType = String(repeating: "x", count: 50_000)
    var trace = UnfurlTrace()
    trace.requests = Array(repeating: request, count: 8)
    let answer = UnfurlAnswer(UnfurlReport(.success(Self.tag), trace: trace))
    let report = try answer.report()
    #expect(report.tag == Self.tag)
    #expect(report.trace == UnfurlTrace())
  }

  @Test("a failure that must not be cached, and a cancelled look-up, are marked as such")
  func unkept() throws {
    let busy = UnfurlAnswer(refusing: "too many", status: 503)
    #expect(busy.cacheControl == "no-store")
    #expect(try busy.report().freshness == .unkept)
    #expect(try UnfurlAnswer.shuttingDown.report().outcome == .failure(.cancelled))
    #expect(try answer(#"{"error":"cancelled"}"#, status: 503).report().freshness == .unkept)
  }

  @Test(
    "the lifetime of a response is read from Cache-Control",
    arguments: [
      (nil, Freshness.unspecified), ("", .unspecified), ("max-age=5", .seconds(5)),
      ("public, MAX-AGE=5", .seconds(5)), ("private, max-age=5", .seconds(0)),
      ("no-store", .seconds(0)), ("max-age=99999999999999999999", .seconds(2_147_483_648)),
      ("max-age=-1", .seconds(0)),
    ] as [(String?, Freshness)])
  func freshness(field: String?, expected: Freshness) throws {
    let told = try answer(#"{"og_tag":null}"#, cacheControl: field).report().freshness
    #expect(told == expected)
  }

  @Test(
    "a response outside the protocol is refused",
    arguments: [
      (200, ""), (200, "<html>"), (200, "[]"), (200, "null"), (200, "{}"), (200, #"{"og_tag":1}"#),
      (200, #"{"og_tag":"x"}"#), (200, #"{"og_tag":null"#), (200, #"{"og_tag":null}}"#),
      (200, #"{"error":"failed"}"#), (404, "Not Found"), (502, "<html>"), (500, "{}"),
      (500, #"{"error":"broken"}"#), (500, #"{"error":5}"#), (500, #"{"og_tag":null}"#),
      (302, #"{"og_tag":null}"#), (204, ""), (201, #"{"og_tag":null}"#),
      (600, #"{"error":"failed"}"#), (0, #"{"error":"failed"}"#),
    ])
  func garbage(status: Int, json: String) {
    #expect(throws: UnfurlAnswerError.self) { try answer(json, status: status).report() }
  }

  @Test("a message is human-readable text: one line, without control characters, of limited length")
  func messages() throws {
    let json = #"{"error":"failed","message":" a\u0000\u001b[31m\r\n b\u202e "}"#
    let told = try answer(json, status: 502).report().outcome
    #expect(told == .failure(.failed("a[31m b")))
    let long = #"{"error":"failed","message":"\#(String(repeating: "x", count: 9_999))"}"#
    guard case .failure(.failed(let text)) = try answer(long, status: 502).report().outcome else {
      Issue.record("not a failure")
      return
    }
    #expect(text.count == 500)
    let silent = try answer(#"{"error":"failed","message":7}"#, status: 502).report().outcome
    #expect(silent == .failure(.failed("the unfurl service does not say why")))
  }

  @Test("texts of a preview are folded and truncated like a page's own")
  func cleansTexts() throws {
    let title = String(repeating: "t", count: 2_000)
    let description = String(repeating: "d", count: 9_000)
    let long = try tag(#"{"og:title":"\#(title)","og:description":"\#(description)"}"#)
    #expect(long?.title?.count == 1_024)
    #expect(long?.description?.count == 4_096)
    let odd = try tag(#"{"og:title":" a\n\tb\u0007 ","og:description":"\u2066x\u2069"}"#)
    #expect(odd == OpenGraphTag(title: "a b", description: "x"))
  }

  @Test("only http and https addresses are accepted, and invalid sizes become 0")
  func cleansAddresses() throws {
    let found = try tag(
      """
      {"og:title": "t", "og:url": "javascript:alert(1)", "og:image": {"url": "data:image/png,x",
       "secure_url": "https://a.example/b c", "width": -5, "height": 99999999999, "alt": 7}}
      """)
    #expect(found?.url == nil)
    #expect(found?.image?.url == "https://a.example/b%20c")
    #expect(found?.image?.width == 0)
    #expect(found?.image?.height == 0)
    #expect(found?.image?.alt == nil)
    #expect(try tag(#"{"og:title":"t","og:image":{"url":"file:///etc/passwd"}}"#)?.image == nil)
    #expect(try tag(#"{"og:title":"t","og:url":"http://u:p@a.example"}"#)?.url == nil)
  }

  @Test(
    "a preview with nothing to show is discarded",
    arguments: [
      "{}", #"{"og:title":""}"#, #"{"og:title":" \n "}"#, #"{"og:url":"https://a.example/"}"#,
      #"{"og:image":{}}"#, #"{"og:title":5,"og:description":[],"og:image":"x"}"#,
      #"{"og:title":"\u200b\u2060"}"#,
      #"{"og:title":"undefined","og:description":"[object Object]"}"#,
    ])
  func empty(json: String) throws {
    #expect(try tag(json) == nil)
  }

  @Test("bytes of any kind are either understood or refused", arguments: 0..<20)
  func randomBytes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let valid = UnfurlAnswer(UnfurlReport(.success(Self.tag))).body
    for _ in 0..<200 {
      var bytes = valid
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = generator.oneIn(2) ? UInt8(ascii: "\"") : .random(in: 0...255)
      }
      let status = [200, 400, 500].randomElement(using: &generator) ?? 200
      let report = try? UnfurlAnswer(status: status, cacheControl: nil, body: bytes).report()
      if let tag = report?.tag { #expect(tag.cleaned == tag, "seed \(seed)") }
    }
  }
}
