import TestSupport
import Testing
import HTTP

@Suite("RFC 6455 §5.4, §7.1: messages received together with the frames after them")
struct MessageByMessageTests {
  @Test(
    "a message can be answered before the error or the close after it takes effect",
    arguments: [clientFrame(3), clientFrame(1, "x", final: false) + clientFrame(1), clientFrame(8)])
  func beforeTheEnd(end: [UInt8]) {
    let peer = WebSocketPeer()
    let (output, rest) = peer.receiveNext(clientFrame(1, "Hello") + end)
    #expect(output.events == [.text("Hello")] && output.bytes.isEmpty)
    #expect(rest == end)
    #expect(peer.state == .open)
    #expect(peer.send("Hello") == serverFrame(0x81, Array("Hello".utf8)))
    #expect(peer.receive(rest).bytes.first == 0x88)
    #expect(peer.send("late").isEmpty)
  }

  @Test("a pong is sent after the answer to the message before its ping")
  func beforeAPing() {
    let peer = WebSocketPeer()
    let (output, rest) = peer.receiveNext(clientFrame(2, "a") + clientFrame(9, "p"))
    #expect(output.bytes.isEmpty)
    #expect(peer.receive(rest).bytes == serverFrame(0x8A, [0x70]))
  }

  @Test("control frames and fragments do not stop the reading, an empty message does")
  func stops() {
    let peer = WebSocketPeer()
    let stream =
      clientFrame(9) + clientFrame(1, "a", final: false) + clientFrame(10) + clientFrame(0)
    let (output, rest) = peer.receiveNext(stream + clientFrame(2) + clientFrame(9, "p"))
    #expect(output.events == [.ping([]), .pong([]), .text("a")])
    let (second, last) = peer.receiveNext(rest)
    #expect(second.events == [.binary([])])
    #expect(last == clientFrame(9, "p"))
  }

  @Test("input after a close or a failure counts as consumed")
  func afterTheEnd() {
    for end in [clientFrame(8), clientFrame(3)] {
      let peer = WebSocketPeer()
      #expect(peer.receiveNext(end + clientFrame(1, "late")).rest.isEmpty)
      #expect(peer.receiveNext(clientFrame(1, "late")).rest.isEmpty)
    }
  }

  @Test("reading one message or all at once produces the same events and bytes")
  func sameEvents() {
    var generator = SeededGenerator(seed: 54)
    let stream = (0..<200).flatMap { index in
      let payload = generator.bytes(index % 9)
      return index % 5 == 0 ? clientFrame(9, payload) : clientFrame(2, payload)
    }
    let whole = WebSocketPeer().receive(stream + clientFrame(8))
    let peer = WebSocketPeer()
    var events: [WebSocketEvent] = []
    var bytes: [UInt8] = []
    var rest = stream + clientFrame(8)
    while !rest.isEmpty {
      let step = peer.receiveNext(rest)
      events += step.output.events
      bytes += step.output.bytes
      rest = step.rest
    }
    #expect(events == whole.events)
    #expect(bytes == whole.bytes)
  }
}
