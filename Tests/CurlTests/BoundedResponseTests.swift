import CCurl
import TestSupport
import Testing

@testable import Curl

@Suite("Responses with a limit", .onOwnThreads)
struct BoundedResponseTests {
  /// Gets a response of up to 100 bytes.
  private func get(
    _ answer: AnswerServer.Answer, within time: Duration = .seconds(60)
  ) throws -> (response: BoundedResponse, result: CURLcode) {
    let server = try AnswerServer { _ in answer }
    defer { server.stop() }
    let easy = try #require(CurlEasy())
    let response = BoundedResponse(to: easy, maximumBytes: 100)
    easy.set(CURLOPT_URL, to: server.url())
    easy.setDeadline(.now.advanced(by: time))
    return (response, curl_easy_perform(easy.handle))
  }

  private func answer(_ count: Int, head: String = "") -> AnswerServer.Answer {
    .bytes(
      "HTTP/1.1 418 x\r\n\(head)Content-Length: \(count)\r\n\r\n"
        + String(repeating: "x", count: count))
  }

  @Test("a response of the maximum size has its status, its fields and its body")
  func isComplete() throws {
    let (response, result) = try get(answer(100, head: "Tag: one\r\nTag: two\r\n"))
    #expect(response.ending(result) == .complete)
    #expect(response.status == 418)
    #expect(response.fields("tag") == ["one", "two"])
    #expect(response.body == Array(repeating: UInt8(ascii: "x"), count: 100))
    #expect(response.excess == nil)
  }

  @Test("a larger body ends the transfer, and so does a larger head")
  func isTooLarge() throws {
    let (body, bodyResult) = try get(answer(101))
    #expect(body.ending(bodyResult) == .tooLarge)
    #expect(bodyResult == CURLE_WRITE_ERROR)
    #expect(body.excess == .body)
    let field = "Padding: \(String(repeating: "p", count: 8_000))\r\n"
    let (head, headResult) = try get(answer(1, head: String(repeating: field, count: 9)))
    #expect(head.ending(headResult) == .tooLarge)
    #expect(headResult == CURLE_WRITE_ERROR)
    #expect(head.excess == .head)
  }

  @Test("a response that does not come in time, and bytes that are none")
  func isMissing() throws {
    let (late, lateResult) = try get(.silence, within: .milliseconds(50))
    #expect(late.ending(lateResult) == .timedOut)
    #expect(late.status == 0)
    let (broken, result) = try get(.bytes("not HTTP\r\n\r\n"))
    #expect(broken.ending(result) == .broken(reason: String(cString: curl_easy_strerror(result))))
  }
}
