// sources: Sources/Unfurler/Reports/*.swift
// sources: Sources/Unfurler/Remote/UnfurlAnswer.swift
// sources: Sources/Unfurler/Remote/UnfurlQuestion.swift
// sources: Sources/Unfurler/Remote/UnfurlTrace+JSON.swift
import Basics
import LinkPreview
import ParleyProtocol

#if canImport(Unfurler)
  @testable import Unfurler
#endif

/// Reads any bytes as a preview service's answer, and as a question to one.
///
/// What an answer says is fit to be shown, and is the same after being answered on.
enum ServiceAnswerHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let status = source.choice([200, 200, 200, 404, 502, 504, 503, 100, 301, 600])
    let control = source.flag() ? source.text(upTo: 60) : nil
    let body = source.rest()
    if let question = try? UnfurlQuestion(json: body) {
      let copy = try? UnfurlQuestion(json: question.json)
      precondition(copy == question, "a question does not read back")
    }
    let answer = UnfurlAnswer(status: status, cacheControl: control, body: body)
    guard let report = try? answer.report() else { return }
    if let tag = report.tag { check(tag) }
    precondition(report.trace.requests.count <= UnfurlTrace.maximumRequests)
    let written = UnfurlAnswer(report)
    precondition(written.body.count <= UnfurlAnswer.maximumBytes)
    guard let again = try? written.report() else {
      preconditionFailure("our own answer is not understood")
    }
    precondition(again.outcome == report.outcome, "an answer means something else when passed on")
    precondition(again.freshness == report.freshness || report.outcome == .failure(.cancelled))
  }

  private static func check(_ tag: OpenGraphTag) {
    precondition(tag.title != nil || tag.description != nil || tag.image != nil)
    for (text, limit) in [(tag.title, 1_024), (tag.description, 4_096), (tag.image?.alt, 1_024)] {
      guard let text else { continue }
      precondition(!text.isEmpty && DisplayText.line(text, limit: limit) == text)
    }
    for address in [tag.url, tag.image?.url, tag.image?.secureURL].compactMap(\.self) {
      precondition(WebURL(address)?.text == address)
    }
    if let image = tag.image { precondition(image.url != nil && image.width >= 0) }
  }
}
