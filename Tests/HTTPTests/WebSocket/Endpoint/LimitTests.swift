import Testing

@testable import HTTP

@Suite("Limits of a connection")
struct LimitTests {
  private let limits = WebSocketLimits(messageBytes: 10, emptyFragments: 2)

  @Test("an idle endpoint is small")
  func size() {
    #expect(MemoryLayout<WebSocketEndpoint>.size <= 128)
  }

  @Test("a message of the limit is read, one byte more closes with 1009")
  func messageBytes() {
    let ten = [UInt8](repeating: 1, count: 10)
    #expect(WebSocketPeer(limits: limits).events(clientFrame(2, ten)) == [.binary(ten)])
    let output = WebSocketPeer(limits: limits).receive(clientFrame(2, ten + [1]))
    #expect(output.events == [.failed(.messageTooLarge(limit: 10))])
    #expect(closeCode(output.bytes) == 1009)
  }

  @Test("a message over the limit is refused as soon as its header is read")
  func header() {
    let header: [UInt8] = [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
    #expect(
      WebSocketPeer(limits: limits).events(header) == [.failed(.messageTooLarge(limit: 10))])
  }

  @Test("the limit applies to all fragments together")
  func fragments() {
    let six = [UInt8](repeating: 1, count: 6)
    let peer = WebSocketPeer(limits: limits)
    #expect(peer.events(clientFrame(2, six, final: false)) == [])
    #expect(
      peer.events(Array(clientFrame(0, six)[..<6])) == [.failed(.messageTooLarge(limit: 10))])
  }

  @Test("more empty fragments than the limit close with 1008")
  func emptyFragments() {
    let peer = WebSocketPeer(limits: limits)
    let two = clientFrame(2, [], final: false) + clientFrame(0, [], final: false)
    #expect(peer.events(two + clientFrame(0)) == [.binary([])])
    let output = peer.receive(two + clientFrame(0, [], final: false))
    #expect(output.events == [.failed(.tooManyEmptyFragments(limit: 2))])
    #expect(closeCode(output.bytes) == 1008)
  }

  @Test("limits at their extremes do not overflow")
  func extremes() {
    #expect(WebSocketLimits(messageBytes: .max).compressedWireBytes == .max)
    #expect(WebSocketLimits(messageBytes: -1).messageBytes == 0)
  }
}
