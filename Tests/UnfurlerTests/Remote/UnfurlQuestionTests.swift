import LinkPreview
import Testing

@testable import Unfurler

@Suite("Requests to a preview service")
struct UnfurlQuestionTests {
  private func read(_ json: String) throws(UnfurlQuestionError) -> UnfurlQuestion {
    try UnfurlQuestion(json: Array(json.utf8))
  }

  private func problem(_ json: String) -> String? {
    do {
      _ = try read(json)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("a request is a link and a time limit, and is read back as it was written")
  func roundTrip() throws {
    let link = try #require(Link("https://example.com/a?b=\"c\""))
    for timeout in [nil, 1, 5_000, 30_000] as [Int64?] {
      let question = UnfurlQuestion(link, timeout: timeout)
      #expect(try UnfurlQuestion(json: question.json) == question)
    }
    let json = UnfurlQuestion(link, timeout: 5_000).json
    let expected = #"{"url":"https://example.com/a?b=%22c%22","timeout_ms":5000}"#
    #expect(String(decoding: json, as: UTF8.self) == expected)
  }

  @Test("the requested time limit is clamped to its range")
  func clamps() throws {
    let link = try #require(Link("https://example.com/"))
    #expect(UnfurlQuestion(link, timeout: -5).timeout == 1)
    #expect(UnfurlQuestion(link, timeout: .max).timeout == 30_000)
  }

  @Test("the time limit may be missing or null, and unknown members are ignored")
  func optional() throws {
    #expect(try read(#"{"url":"http://a.example"}"#).timeout == nil)
    #expect(try read(#"{"timeout_ms":null,"url":"http://a.example","x":[{}]}"#).timeout == nil)
    #expect(try read(#"{"url":"HTTP://A.Example:80#f"}"#).link.url == "http://a.example/")
  }

  @Test(
    "an invalid request is refused with its fault",
    arguments: [
      ("", "the body is not a JSON object"),
      ("[]", "the body is not a JSON object: an object is expected"),
      (#"{"url":"http://a.example""#, "the body is not a JSON object"),
      (#"{"url":"http://a.example","url":"http://b.example"}"#, "the body is not a JSON object"),
      ("{}", "url: a link is required"),
      (#"{"url":null}"#, "url: a link is required"),
      (#"{"url":7}"#, "url: expected a string"),
      (#"{"url":""}"#, "url: expected an absolute http or https URL"),
      (#"{"url":"/relative"}"#, "url: expected an absolute http or https URL"),
      (#"{"url":"ftp://a.example/"}"#, "url: expected an absolute http or https URL"),
      (#"{"url":"file:///etc/passwd"}"#, "url: expected an absolute http or https URL"),
      (#"{"url":"http://user:secret@a.example/"}"#, "url: expected an absolute http or https"),
      (#"{"url":"http://a.example\\@b.example/"}"#, "url: expected an absolute http or https URL"),
      (#"{"url":"http://a.example/\r\nX: y"}"#, "url: expected an absolute http or https URL"),
      (#"{"url":"http://a.example","timeout_ms":0}"#, "timeout_ms: expected a whole number"),
      (#"{"url":"http://a.example","timeout_ms":30001}"#, "timeout_ms: expected a whole number"),
      (#"{"url":"http://a.example","timeout_ms":1.5}"#, "timeout_ms: expected a whole number"),
      (#"{"url":"http://a.example","timeout_ms":"5"}"#, "timeout_ms: expected a whole number"),
      (#"{"url":"http://a.example","timeout_ms":1e99}"#, "timeout_ms: expected a whole number"),
    ])
  func problems(json: String, expected: String) {
    #expect(problem(json)?.hasPrefix(expected) == true, "\(problem(json) ?? "taken")")
  }

  @Test("a request that is too long, too deep or has too many values is refused")
  func bounds() {
    let long = String(repeating: "a", count: UnfurlQuestion.maximumBytes)
    #expect(problem(#"{"url":"http://a.example/\#(long)"}"#) != nil)
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(problem(#"{"url":"http://a.example","x":\#(deep)}"#) != nil)
    let many = Array(repeating: "0", count: 2_000).joined(separator: ",")
    #expect(problem(#"{"url":"http://a.example","x":[\#(many)]}"#) != nil)
  }
}
