import Reactor
import Testing
@testable import HTTP

@testable import Transport

@Suite("Transport")
struct TransportTests {
  private let agreement = PermessageDeflate.Agreement(
    serverNoContextTakeover: true, clientNoContextTakeover: true)

  /// What a client makes of frames.
  private func events(
    _ bytes: [UInt8], _ agreement: PermessageDeflate.Agreement?
  )
    -> [WebSocketEvent]
  {
    var endpoint = WebSocketEndpoint(
      role: .client(maskingKey: { 1 }), compression: agreement)
    var output = WebSocketOutput()
    endpoint.receive(bytes.span, using: DeflateWorkspace(), into: &output)
    return output.events
  }

  @Test("a frame for peers with compression is smaller, and inflates to the text")
  func compresses() throws {
    let driven = try DrivenTransport()
    let text = Array(String(repeating: "the same again, ", count: 50).utf8)
    var frames: [UInt8] = []
    for _ in 0..<2 {
      driven.transport.appendFrame(
        text: text, encoding: .deflated(windowBits: 15), into: &frames)
    }
    #expect(frames.count < text.count)
    #expect(events(frames, agreement) == [.text(text), .text(text)])
  }

  @Test("a text that compression would not shorten is sent uncompressed")
  func leavesShortTexts() throws {
    let driven = try DrivenTransport()
    var frames: [UInt8] = []
    driven.transport.appendFrame(
      text: Array("{}".utf8), encoding: .deflated(windowBits: 15), into: &frames)
    #expect(frames == serverText("{}"))
  }

  @Test("a turn with more writes than one flush allows is unfinished, and continues in the next")
  func spreadsWork() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peer = try driven.open()
    for _ in 0..<300 { _ = broadcast.subscribe(peer.connection) }
    broadcast.publish([1], except: [])
    #expect(driven.transport.flush() == .unfinished)
    #expect(peer.readAll().count == 256)
    #expect(driven.transport.flush() == .idle)
    #expect(peer.readAll().count == 44)
  }

  @Test("the counters match the traffic of the sockets")
  func counts() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    let before = driven.transport.counters
    let message = clientText("hello")
    peer.deliver(message)
    peer.connection.send(text: Array("there".utf8))
    driven.settle()
    let after = driven.transport.counters
    #expect(after.bytesReceived - before.bytesReceived == message.count)
    #expect(after.bytesSent - before.bytesSent == serverText("there").count)
    #expect(after.messagesReceived - before.messagesReceived == 1)
    #expect(after.writes - before.writes == 1)
  }
}
