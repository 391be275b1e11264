import Testing
import HTTP

@Suite("RFC 6455 §5.5: control frames")
struct ControlFrameTests {
  @Test("a ping is answered with its payload", arguments: [0, 1, 5, 125])
  func ping(length: Int) {
    let payload = [UInt8](repeating: 0xFE, count: length)
    let output = WebSocketPeer().receive(clientFrame(9, payload))
    #expect(output.events == [.ping(payload)])
    #expect(output.bytes == serverFrame(0x8A, payload))
  }

  @Test("a client's pong is masked")
  func maskedPong() {
    let output = WebSocketPeer.client().receive(serverFrame(0x89, Array("Hello".utf8)))
    #expect(
      output.bytes == [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  @Test(
    "a control frame of more than 125 bytes closes with 1002", arguments: [8, 9, 10] as [UInt8])
  func tooLong(opcode: UInt8) {
    let output = WebSocketPeer().receive(clientFrame(opcode, [UInt8](repeating: 0, count: 126)))
    #expect(output.events == [.failed(.longControlFrame)])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test("an unsolicited pong is reported and not answered")
  func unsolicitedPong() {
    let output = WebSocketPeer().receive(clientFrame(10, "p"))
    #expect(output.events == [.pong([0x70])])
    #expect(output.bytes.isEmpty)
  }

  @Test("many pings at once are all answered, in order")
  func manyPings() {
    let pings = (0..<10).flatMap { clientFrame(9, [$0]) }
    #expect(
      WebSocketPeer().receive(pings).bytes == (0..<10).flatMap { serverFrame(0x8A, [$0]) })
  }

  @Test("more control frames at once than the limit close with 1008")
  func tooMany() {
    let peer = WebSocketPeer(limits: WebSocketLimits(controlFrames: 3))
    let pongs = (0..<3).flatMap { _ in clientFrame(10) }
    #expect(peer.events(pongs).count == 3)
    #expect(peer.events(pongs + clientFrame(1, "data") + pongs).count == 7)
    let output = peer.receive(pongs + clientFrame(10))
    #expect(output.events.last == .failed(.tooManyControlFrames(limit: 3)))
    #expect(closeCode(output.bytes) == 1008)
  }

  @Test("pings and pongs are sent with their payload")
  func sending() {
    #expect(WebSocketPeer().ping([1, 2]) == [0x89, 2, 1, 2])
    #expect(WebSocketPeer().pong([]) == [0x8A, 0])
  }
}
