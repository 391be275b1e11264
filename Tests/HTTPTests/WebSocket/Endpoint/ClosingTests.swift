import Testing
import HTTP

@Suite("RFC 6455 §7: closing")
struct ClosingTests {
  @Test("the peer's close is answered with its code")
  func answered() {
    let peer = WebSocketPeer()
    let output = peer.receive(clientFrame(8, closePayload(1000, "bye")))
    #expect(output.events == [.closed(code: .normalClosure, reason: "bye")])
    #expect(output.bytes == serverFrame(0x88, closePayload(1000)))
    #expect(peer.state == .closed)
  }

  @Test("an empty close is answered with an empty close")
  func empty() {
    let output = WebSocketPeer().receive(clientFrame(8))
    #expect(output.events == [.closed(code: nil, reason: "")])
    #expect(output.bytes == serverFrame(0x88))
  }

  @Test("no frame after a close is read")
  func afterClose() {
    let peer = WebSocketPeer()
    let output = peer.receive(
      clientFrame(8) + clientFrame(1, "late") + clientFrame(9) + clientFrame(8))
    #expect(output.events.count == 1)
    #expect(peer.receive(clientFrame(9)).bytes.isEmpty)
    #expect(peer.send("late").isEmpty)
  }

  @Test("a close within a fragmented message ends the connection")
  func withinMessage() {
    #expect(
      WebSocketPeer().events(clientFrame(1, "a", final: false) + clientFrame(8))
        == [.closed(code: nil, reason: "")])
  }

  @Test("a close payload of one byte closes with 1002")
  func oneByte() {
    let output = WebSocketPeer().receive(clientFrame(8, [3]))
    #expect(output.events == [.failed(.shortClosePayload)])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test(
    "valid codes are echoed",
    arguments: [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
      4999,
    ] as [UInt16])
  func validCodes(code: UInt16) {
    let output = WebSocketPeer().receive(clientFrame(8, closePayload(code)))
    #expect(output.events == [.closed(code: CloseCode(rawValue: code), reason: "")])
    #expect(closeCode(output.bytes) == code)
  }

  @Test(
    "codes that must not be sent close with 1002",
    arguments: [
      0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
    ] as [UInt16])
  func invalidCodes(code: UInt16) {
    let output = WebSocketPeer().receive(clientFrame(8, closePayload(code)))
    #expect(output.events == [.failed(.invalidCloseCode(CloseCode(rawValue: code)))])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test("a reason of 123 bytes is read, one that is not UTF-8 closes with 1007")
  func reasons() {
    let long = String(repeating: "x", count: 123)
    #expect(
      WebSocketPeer().events(clientFrame(8, closePayload(1000, long)))
        == [.closed(code: .normalClosure, reason: long)])
    for wrong: [UInt8] in [[0xFF], [0xF0, 0x9F]] {
      let output = WebSocketPeer().receive(clientFrame(8, closePayload(1000) + wrong))
      #expect(output.events == [.failed(.invalidCloseReason)])
      #expect(closeCode(output.bytes) == 1007)
    }
  }

  @Test("after our close, data is dropped until the peer's close arrives, which is not answered")
  func ours() {
    let peer = WebSocketPeer()
    _ = peer.receive(clientFrame(1, "half", final: false))
    #expect(peer.close(.goingAway, "bye") == serverFrame(0x88, closePayload(1001, "bye")))
    #expect(peer.state == .closing)
    #expect(peer.close(.goingAway).isEmpty && peer.send("a").isEmpty)
    let late = peer.receive(
      clientFrame(0, [0xFF]) + clientFrame(1, [0xFF], final: false) + clientFrame(9, "p"))
    #expect(late.events == [.ping([0x70])])
    #expect(late.bytes.isEmpty)
    let output = peer.receive(clientFrame(8, closePayload(1001)))
    #expect(output.events == [.closed(code: .goingAway, reason: "")])
    #expect(output.bytes.isEmpty)
    #expect(peer.state == .closed)
  }

  @Test("after our close, a broken frame fails the connection without a second close frame")
  func brokenAfterOurs() {
    let peer = WebSocketPeer()
    _ = peer.close(nil)
    let output = peer.receive(clientFrame(3))
    #expect(output.events == [.failed(.reservedOpcode(Opcode(rawValue: 3)))])
    #expect(output.bytes.isEmpty)
  }

  @Test("a reason is truncated between two scalars, and omitted without a code")
  func cutReason() {
    let payload = ClosePayload(code: .goingAway, reason: String(repeating: "é", count: 100))
    #expect(payload.encoded.count == 124)
    #expect(payload.reason == String(repeating: "é", count: 61))
    #expect(ClosePayload(code: nil, reason: "x").encoded.isEmpty)
  }

  @Test("an error's message fits into a close frame")
  func errorSentences() {
    let output = WebSocketPeer(limits: WebSocketLimits(messageBytes: .max))
      .receive(clientFrame(8, closePayload(65535)))
    #expect(output.bytes.count <= 127)
  }
}
