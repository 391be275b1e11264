import ClientTransport
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Posting to a stream", .onOwnThreads)
struct StreamPostingTests {
  @Test("opens the stream with the first message, and delivers its answer")
  func opening() {
    var rig = StreamRig()
    #expect(
      rig.handle(.send(StreamRig.opening)) == [.post(StreamRig.opening, to: "/v1/streams")])
    let effects = rig.answer(201, #"{"stream":"\#(StreamRig.path)","result":{"a":[1]}}"#)
    #expect(
      effects == [
        StreamRig.deliver(#"{"jsonrpc":"2.0","id":1,"result":{"a":[1]}}"#),
        StreamRig.read(after: 0),
      ])
  }

  @Test("delivers a refusal with its details as an error of JSON-RPC")
  func refusal() {
    var rig = StreamRig()
    _ = rig.handle(.send(StreamRig.opening))
    let body = #"{"error":true,"code":400302,"message":"no","retry_after_ms":7,"scope":"user"}"#
    let error =
      #"{"code":400302,"message":"no","data":{"retry_after_ms":7,"scope":"user"}}"#
    #expect(
      rig.answer(401, body) == [StreamRig.deliver(#"{"jsonrpc":"2.0","id":1,"error":\#(error)}"#)])
  }

  @Test(
    "fails as a WebSocket does when another server answers",
    arguments: [
      (403, ConnectionFailure.Kind.unauthorized), (502, .temporary), (302, .lasting),
      (200, .lasting),
      (503, .unavailable(retryAfter: 3000)),
    ])
  func foreignAnswer(status: Int, kind: ConnectionFailure.Kind) {
    var rig = StreamRig()
    _ = rig.handle(.send(StreamRig.opening))
    guard case .end(.failed(let failure))? = rig.answer(status, "<html>", ["Retry-After": "3"]).last
    else { return #expect(Bool(false)) }
    #expect(failure.kind == kind && !rig.course.isMissing)
  }

  @Test(
    "refuses an answer that opens no stream",
    arguments: [
      "", "[]", #"{"stream":"/v1/streams/a"}"#, #"{"stream":"/other/a","result":{}}"#,
      #"{"stream":"/v1/streams/a?b","result":{}}"#, #"{"stream":"/v1/streams/../a","result":{}}"#,
    ])
  func brokenAnswer(body: String) {
    var rig = StreamRig()
    _ = rig.handle(.send(StreamRig.opening))
    guard case .end(.failed(let failure))? = rig.answer(201, body).last else {
      return #expect(Bool(false))
    }
    #expect(failure.kind == .protocolViolation)
  }

  @Test("reports a server without streams")
  func missing() {
    var rig = StreamRig()
    _ = rig.handle(.send(StreamRig.opening))
    guard case .end(.failed(let failure))? = rig.answer(404, "not found").last else {
      return #expect(Bool(false))
    }
    #expect(failure.kind == .lasting && rig.course.isMissing)
  }

  @Test("posts one message after the other, and the same again after 429")
  func order() {
    var rig = StreamRig.listening()
    #expect(rig.send("a") == [StreamRig.post("a")])
    #expect(rig.send("b") == [] && rig.send("c") == [])
    #expect(rig.answer(202) == [StreamRig.post("b")])
    #expect(rig.answer(429, "", ["Retry-After": "2"]) == [])
    #expect(rig.send("d") == [])
    #expect(rig.pass(1999) == [])
    #expect(rig.pass(1) == [StreamRig.post("b")])
    let wait = #"{"error":true,"code":500910,"message":"wait","retry_after_ms":40}"#
    #expect(rig.answer(429, wait, ["Retry-After": "1"]) == [])
    #expect(rig.pass(40) == [StreamRig.post("b")])
    #expect(rig.answer(202) == [StreamRig.post("c")])
    #expect(rig.answer(202) == [StreamRig.post("d")])
    #expect(rig.answer(202) == [])
  }

  @Test("continues after a message that the server or a proxy refuses")
  func refusedMessage() {
    var rig = StreamRig.listening()
    let message = #"{"jsonrpc":"2.0","id":9,"method":"m"}"#
    _ = rig.send(message)
    _ = rig.send("next")
    let body = #"{"error":true,"code":-32600,"message":"no"}"#
    let reply = #"{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"no","data":{}}}"#
    #expect(rig.answer(400, body) == [StreamRig.deliver(reply), StreamRig.post("next")])
    #expect(rig.answer(413, "<html>") == [])
    _ = rig.send(message)
    guard case .deliver(let text)? = rig.answer(413, "<html>").first else {
      return #expect(Bool(false))
    }
    #expect(String(decoding: text, as: UTF8.self).contains("400110"))
  }

  @Test("ends when a message may be lost, and when the stream is gone")
  func lost() {
    var rig = StreamRig.listening()
    _ = rig.send("a")
    let failure = ConnectionFailure(.temporary, "cut")
    #expect(
      rig.handle(.answered(.failure(failure))) == [
        StreamRig.lost("a posted message was lost: cut")
      ])
    #expect(rig.send("b") == [] && rig.course.nextDeadline == nil)
    for status in [404, 410] {
      var rig = StreamRig.listening()
      _ = rig.send("a")
      #expect(rig.answer(status) == [StreamRig.lost("the stream has ended")])
    }
    for status in [401, 403, 500, 503] {
      var rig = StreamRig.listening()
      _ = rig.send("a")
      guard case .end(.failed(let failure))? = rig.answer(status, "<html>").last else {
        return #expect(Bool(false))
      }
      #expect(failure.kind == .lost, "\(status)")
    }
  }

  @Test("ends when more waits than the limit")
  func tooMuch() {
    var limits = StreamCourse.Limits()
    limits.queuedBytes = 10
    var rig = StreamRig(limits)
    #expect(rig.send("12345") == [.post(Array("12345".utf8), to: "/v1/streams")])
    #expect(rig.send("12345") == [])
    guard case .end(.failed(let failure))? = rig.send("1").last else {
      return #expect(Bool(false))
    }
    #expect(failure.kind == .lost)
  }

  @Test("posts what was sent before the end, and closes the stream")
  func closing() {
    var rig = StreamRig.listening()
    #expect(rig.handle(.close) == [.stopReading, .delete(StreamRig.path), .finish])
    rig = StreamRig.listening()
    _ = rig.send("a")
    _ = rig.send("b")
    #expect(rig.handle(.close) == [.stopReading])
    #expect(rig.send("late") == [])
    #expect(rig.answer(202) == [StreamRig.post("b")])
    #expect(rig.answer(202) == [.delete(StreamRig.path), .finish])
    rig = StreamRig.listening()
    _ = rig.send("a")
    _ = rig.handle(.close)
    #expect(rig.pass(1999) == [])
    #expect(rig.pass(1) == [.finish] && rig.course.nextDeadline == nil)
  }

  @Test("closes a stream that opens after the end")
  func closedBeforeOpen() {
    var rig = StreamRig()
    _ = rig.handle(.send(StreamRig.opening))
    #expect(rig.handle(.close) == [.stopReading])
    let effects = rig.answer(201, #"{"stream":"\#(StreamRig.path)","result":{}}"#)
    #expect(effects.suffix(2) == [.delete(StreamRig.path), .finish])
    rig = StreamRig()
    #expect(rig.handle(.close) == [.stopReading, .finish])
  }
}
