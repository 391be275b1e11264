import ParleyProtocol
import Testing

@Suite("The trace of a call")
struct CallTraceTests {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test("has the names that the headers give")
  func names() throws {
    let trace = try #require(CallTrace(requestID: "edge-17", traceParent: Self.parent))
    #expect(trace.requestID == "edge-17")
    #expect(trace.traceParent == Self.parent)
    #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    let request = try #require(CallTrace(requestID: "a", traceParent: nil))
    #expect(request.requestID == "a" && request.traceParent == nil && request.traceID == nil)
    let span = try #require(CallTrace(requestID: nil, traceParent: Self.parent))
    #expect(span.requestID == nil && span.traceParent == Self.parent)
    #expect(CallTrace(requestID: nil, traceParent: nil) == nil)
  }

  @Test(
    "takes ids that need no escape, up to 128 characters",
    arguments: ["a", "7f3c:0/1~x=y@z+_.-", String(repeating: "x", count: 128)])
  func requestID(_ id: String) {
    #expect(CallTrace(requestID: id, traceParent: nil)?.requestID == id)
  }

  @Test(
    "ignores other ids",
    arguments: [
      "", " ", "a b", "a\u{0}", "a\r\nX: y", "\"", "a\\b", "<a>", "a,b", "ä", "\u{7f}",
      String(repeating: "x", count: 129),
    ])
  func foreignRequestID(_ id: String) {
    #expect(CallTrace(requestID: id, traceParent: nil) == nil)
  }

  @Test("reads later versions of traceparent as the first, without what they add")
  func laterVersions() {
    let rest = Self.parent.dropFirst(2)
    #expect(CallTrace(requestID: nil, traceParent: "cc\(rest)-more")?.traceParent == Self.parent)
    #expect(CallTrace(requestID: nil, traceParent: "01\(rest)")?.traceParent == Self.parent)
  }

  @Test(
    "ignores a malformed traceparent",
    arguments: [
      "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
      "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
      "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
      "00-4bf92f3577b34da6a3ce929d0e0e47360-0f067aa0ba902b7-01",
      "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
      "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-"
        + String(repeating: "x", count: 300),
    ])
  func malformed(_ value: String) {
    #expect(CallTrace(requestID: nil, traceParent: value) == nil)
    #expect(CallTrace(requestID: "kept", traceParent: value)?.traceParent == nil)
  }

  @Test("is read back from its text, and from no other")
  func text() {
    for trace in [
      CallTrace(requestID: "a", traceParent: Self.parent),
      CallTrace(requestID: "a", traceParent: nil),
      CallTrace(requestID: nil, traceParent: Self.parent),
    ].compactMap(\.self) {
      #expect(CallTrace(text: trace.text) == trace)
    }
    for text in ["", " ", "a", "a b", " a b", "  a", "\(Self.parent)", "\(Self.parent) a b"] {
      #expect(CallTrace(text: text) == nil, "\(text)")
    }
  }

  @Test("is in an event after the event's own members")
  func event() throws {
    let trace = try #require(CallTrace(requestID: "edge-17", traceParent: Self.parent))
    let event = WebhookEncoder.event(Array(#"{"event":"webhook.test"}"#.utf8), causedBy: trace)
    #expect(
      String(decoding: event, as: UTF8.self)
        == #"{"event":"webhook.test","request_id":"edge-17","traceparent":"\#(Self.parent)"}"#)
  }
}
