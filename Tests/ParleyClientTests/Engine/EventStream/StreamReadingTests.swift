import ClientTransport
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Reading a stream", .onOwnThreads)
struct StreamReadingTests {
  @Test("delivers each event once, in order")
  func events() {
    var rig = StreamRig.listening()
    #expect(rig.receive("id: 1\ndata: a\n\nid: 2\nda") == [StreamRig.deliver("a")])
    #expect(rig.receive("ta: b\n\nid: 1\ndata: a\n\n") == [StreamRig.deliver("b")])
    #expect(rig.receive(": comment\n\nid: 3\nevent: later\ndata: ?\n\n") == [])
    #expect(rig.receive("id: 4\ndata: c\n\n") == [StreamRig.deliver("c")])
  }

  @Test("continues after the last event when the response is cut")
  func cuts() {
    var rig = StreamRig.listening()
    _ = rig.receive("id: 1\ndata: a\n\nid: 2\ndata: half")
    #expect(rig.cut() == [])
    #expect(rig.pass(249) == [])
    #expect(rig.pass(1) == [StreamRig.read(after: 1)])
    _ = rig.head()
    #expect(
      rig.receive("event: hello\ndata: {}\n\nid: 2\ndata: whole\n\n") == [
        StreamRig.deliver("whole")
      ])
    // A proxy that cuts after a while costs no pause.
    _ = rig.pass(5000)
    #expect(rig.handle(.read(.end)) == [StreamRig.read(after: 2)])
  }

  @Test("waits longer after each failure, and gives up after 30 seconds without success")
  func givingUp() {
    var rig = StreamRig.listening()
    _ = rig.cut()
    var times: [Int64] = []
    let start = rig.now
    var end: StreamRig.Effect?
    while end == nil, times.count < 100 {
      let effects = rig.pass(10)
      guard effects == [StreamRig.read(after: 0)] else { continue }
      times.append(rig.now - start)
      if case .end(let reason)? = rig.cut().last { end = .end(reason) }
    }
    #expect(times.first == 250 && times.count < 15)
    #expect(end == StreamRig.lost("no events could be received for 30 seconds"))
    #expect(rig.now - start >= 30_000 && rig.now - start < 35_000)
  }

  @Test("ends when the stream is gone, or events are missing", arguments: [404, 410])
  func gone(status: Int) {
    var rig = StreamRig.open()
    #expect(rig.head(status) == [StreamRig.lost("the stream has ended, or events were dropped")])
    rig = StreamRig.listening()
    #expect(
      rig.receive("id: 3\ndata: c\n\nid: 4\ndata: d\n\n") == [
        StreamRig.lost("events 1 to 2 of the stream are missing")
      ])
  }

  @Test("ends with the code of the server")
  func close() {
    var rig = StreamRig.listening()
    let effects = rig.receive(
      "id: 1\ndata: a\n\nid: 2\nevent: close\ndata: {\"code\":4002,\"reason\":\"r\"}\n\n")
    #expect(
      effects == [StreamRig.deliver("a"), .end(.closedByPeer(code: 4002, reason: "r"))])
    #expect(rig.course.nextDeadline == nil)
  }

  @Test("ends at an event that is too large")
  func tooLarge() {
    var limits = StreamCourse.Limits()
    limits.messageBytes = 1024
    var rig = StreamRig(limits)
    _ = rig.handle(.send(StreamRig.opening))
    _ = rig.answer(201, #"{"stream":"\#(StreamRig.path)","result":{}}"#)
    _ = rig.head()
    let text = String(repeating: "x", count: 1024)
    #expect(rig.receive("id: 1\ndata: \(text)\n\n") == [StreamRig.deliver(text)])
    guard case .end(.failed(let failure))? = rig.receive("id: 2\ndata: \(text)\(text)").last else {
      return #expect(Bool(false))
    }
    #expect(failure.kind == .messageTooLarge)
  }

  @Test("polls from then on when hello is missing for three seconds")
  func polls() {
    var rig = StreamRig.open()
    #expect(rig.pass(2999) == [])
    #expect(rig.pass(1) == [StreamRig.poll(after: 0)])
    _ = rig.head()
    #expect(rig.receive("id: 1\ndata: a\n\n") == [StreamRig.deliver("a")])
    // With news at once, and after a long wait; a proxy that answers at once by itself costs pauses.
    #expect(rig.handle(.read(.end)) == [StreamRig.poll(after: 1)])
    _ = rig.head()
    _ = rig.pass(25_000)
    #expect(rig.handle(.read(.end)) == [StreamRig.poll(after: 1)])
    _ = rig.head()
    #expect(rig.handle(.read(.end)) == [])
    #expect(rig.pass(250) == [StreamRig.poll(after: 1)])
    _ = rig.cut()
    #expect(rig.pass(500) == [StreamRig.poll(after: 1)])
  }

  @Test("polls when responses end without hello, but not because nothing could connect")
  func missingHello() {
    var rig = StreamRig.open()
    _ = rig.head()
    #expect(rig.handle(.read(.end)) == [])
    #expect(rig.pass(250) == [StreamRig.read(after: 0)])
    #expect(rig.pass(2750) == [StreamRig.poll(after: 0)])
    rig = StreamRig.open()
    _ = rig.pass(2900)
    _ = rig.cut()
    #expect(rig.pass(250) == [StreamRig.read(after: 0)])
    #expect(rig.pass(2999) == [])
  }

  @Test("answers of other servers are failures, not events")
  func foreign() {
    var rig = StreamRig.open()
    _ = rig.head(type: "text/html")
    #expect(rig.receive("id: 1\ndata: a\n\n") == [])
    #expect(rig.handle(.read(.end)) == [])
    #expect(rig.pass(250) == [StreamRig.read(after: 0)])
    _ = rig.head(502)
    #expect(rig.handle(.read(.end)) == [])
  }

  @Test("a ping asks for events again, or for any answer while polling")
  func ping() {
    var rig = StreamRig.listening()
    _ = rig.receive("id: 1\ndata: a\n\n")
    #expect(rig.handle(.ping) == [StreamRig.read(after: 1)])
    #expect(rig.handle(.ping) == [])
    _ = rig.pass(3000)
    #expect(rig.handle(.ping) == [.check(StreamRig.path)])
  }

  @Test("survives any order of inputs")
  func anyOrder() {
    var random = SeededGenerator(seed: 11)
    let texts = [
      "event: hello\ndata: {}\n\n", "id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n", "id: ", "\n",
      "id: 3\nevent: close\ndata: {}\n\n", ":\n\n",
    ]
    for _ in 0..<500 {
      var rig = Bool.random(using: &random) ? StreamRig.open() : StreamRig()
      var ends = 0
      var isPosting = rig.course.path == nil ? false : rig.course.posting.inFlight != nil
      for _ in 0..<40 {
        let effects: [StreamRig.Effect] =
          switch Int.random(in: 0..<9, using: &random) {
          case 0: rig.send("m")
          case 1: rig.handle(.ping)
          case 2: Int.random(in: 0..<8, using: &random) == 0 ? rig.handle(.close) : []
          case 3, 4:
            isPosting
              ? rig.answer(
                [201, 202, 202, 429, 400, 410, 500].randomElement(using: &random) ?? 202)
              : []
          case 5: rig.head([200, 200, 200, 503, 410].randomElement(using: &random) ?? 200)
          case 6: rig.receive(texts.randomElement(using: &random) ?? "")
          case 7: Bool.random(using: &random) ? rig.cut() : rig.handle(.read(.end))
          default: rig.pass(.random(in: 0...4000, using: &random))
          }
        #expect(ends == 0 || effects.isEmpty, "something after the end")
        for effect in effects {
          switch effect {
          case .end, .finish: ends += 1
          default: break
          }
        }
        isPosting = rig.course.posting.inFlight != nil && !rig.course.isOver
        if let deadline = rig.course.nextDeadline { #expect(deadline >= rig.now) }
      }
      #expect(ends <= 1)
    }
  }
}
