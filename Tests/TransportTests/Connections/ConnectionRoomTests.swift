import Reactor
import Testing
import HTTP

@testable import Transport

@Suite("Output limits of connections")
struct ConnectionRoomTests {
  private func driven(outboundBytes: Int) throws -> DrivenTransport {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = outboundBytes
    return try DrivenTransport(configuration)
  }

  @Test("replies that wait for room are all sent, in order, to a peer that reads late")
  func waitsForRoom() throws {
    let driven = try driven(outboundBytes: 40_000)
    let peer = try driven.open()
    peer.shrinkBuffer()
    let application = try peer.application
    let replies = (0..<50).map { [UInt8](repeating: UInt8(97 + $0 % 20), count: 15_000) }
    var rest = replies[...]
    application.onRoom = { connection in
      while let reply = rest.first, connection.hasRoom(for: reply.count) {
        connection.send(reply: reply)
        rest.removeFirst()
      }
    }
    application.onRoom(peer.connection)
    driven.settle()
    #expect(!rest.isEmpty)
    #expect(peer.connection.queuedByteCount <= 20_100)
    let expected = replies.flatMap { serverFrame(.text, $0) }
    #expect(peer.drain(driven) == expected)
    #expect(rest.isEmpty)
    #expect(application.reasons.isEmpty)
  }

  @Test("a reply that is larger than the limit is sent when nothing is queued")
  func sendsLargeReplies() throws {
    let driven = try driven(outboundBytes: 10_000)
    let peer = try driven.open()
    #expect(peer.connection.hasRoom(for: 50_000))
    peer.connection.send(reply: [UInt8](repeating: 97, count: 50_000))
    #expect(!peer.connection.hasRoom(for: 1))
    #expect(peer.drain(driven) == serverFrame(.text, [UInt8](repeating: 97, count: 50_000)))
    #expect(try peer.application.reasons.isEmpty)
  }

  @Test("an event that would exceed the limit closes with 4004, however little was queued")
  func judgesWhatIsAdded() throws {
    let driven = try driven(outboundBytes: 10_000)
    let peer = try driven.open()
    let application = try peer.application
    peer.connection.send(text: [UInt8](repeating: 97, count: 5_000))
    driven.settle()
    #expect(application.reasons.isEmpty)
    peer.connection.send(text: [UInt8](repeating: 97, count: 11_000))
    driven.settle()
    #expect(application.reasons == [.closed(.slowConsumer)])
  }

  @Test("the remaining messages of a read are held while the application pauses reading")
  func holdsInput() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    let application = try peer.application
    application.onMessage = { connection, _ in connection.pauseReading() }
    let frames = (0..<5).flatMap { clientText("m\($0)") }
    peer.deliver(frames)
    #expect(application.messages.count == 1)
    #expect(driven.transport.heldByteCount == frames.count / 5 * 4)
    for count in 2...5 {
      peer.connection.resumeReading()
      #expect(application.messages.count == count)
    }
    #expect(driven.transport.heldByteCount == 0)
    peer.connection.resumeReading()
    #expect(application.messages.count == 5)
    #expect(peer.connection.interest == .readable)
  }

  @Test("the total follows queued, held and dropped bytes")
  func accounts() throws {
    let driven = try driven(outboundBytes: 1_000_000)
    let peers = try (0..<3).map { _ in try driven.open() }
    for (index, peer) in peers.enumerated() {
      peer.shrinkBuffer()
      peer.connection.send(text: [UInt8](repeating: 97, count: 100_000 * (index + 1)))
    }
    driven.settle()
    let queued = peers.reduce(0) { $0 + $1.connection.queuedByteCount }
    #expect(queued > 300_000)
    #expect(driven.transport.heldByteCount == queued)
    peers[0].connection.applicationByteCount = 500_000
    #expect(driven.transport.heldByteCount == queued + 500_000)
    let largest = driven.transport.largestHolders(2)
    #expect(largest.map(\.id) == [peers[0].connection.id, peers[2].connection.id])
    peers[0].connection.drop()
    _ = peers[1].drain(driven)
    #expect(driven.transport.heldByteCount == peers[2].connection.queuedByteCount)
    peers[2].connection.drop()
    #expect(driven.transport.heldByteCount == 0)
    #expect(driven.transport.largestHolders(2).isEmpty)
  }

  @Test("a shed connection finishes its current frame, then sends 1013, and nothing else")
  func sheds() throws {
    let driven = try driven(outboundBytes: 1_000_000)
    let peer = try driven.open()
    peer.shrinkBuffer()
    let application = try peer.application
    let frame = serverFrame(.text, [UInt8](repeating: 97, count: 9_000))
    for _ in 0..<30 { peer.connection.send(text: [UInt8](repeating: 97, count: 9_000)) }
    driven.settle()
    let queued = peer.connection.queuedByteCount
    #expect(queued > 100_000)
    peer.connection.shed(.tryAgainLater, reason: "short")
    #expect(application.reasons == [.closed(.tryAgainLater)])
    #expect(driven.transport.heldByteCount < 9_200)
    let sent = peer.drain(driven)
    let close = serverClose(.tryAgainLater, "short")
    #expect(sent.suffix(close.count) == close[...])
    let frames = sent.dropLast(close.count)
    #expect(frames.count.isMultiple(of: frame.count))
    #expect(Array(frames) == (0..<(frames.count / frame.count)).flatMap { _ in frame })
    #expect(frames.count < 30 * frame.count)
  }

  @Test("a connection with a large partial frame, or a request, is closed without a close frame")
  func cutsOff() throws {
    let driven = try driven(outboundBytes: 1_000_000)
    let peer = try driven.open()
    peer.shrinkBuffer()
    peer.connection.send(reply: [UInt8](repeating: 97, count: 400_000))
    driven.settle()
    peer.connection.shed(.tryAgainLater, reason: "short")
    driven.answersLater = true
    let other = try driven.connect()
    other.deliver(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    other.connection.shed(.tryAgainLater, reason: "short")
    #expect(driven.abandonmentCount == 1)
    #expect(driven.transport.connectionCount == 0)
    #expect(driven.transport.heldByteCount == 0)
  }
}
