import Glibc
import Reactor
import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("Connection: WebSocket")
struct ConnectionWebSocketTests {
  @Test("frames in the segment of the upgrade request are received")
  func receivesBehindTheUpgrade() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    peer.deliver(upgradeRequest + clientText("a") + clientText("b"))
    #expect(try peer.application.texts == ["a", "b"])
    driven.settle()
    #expect(String(decoding: peer.readAll(), as: UTF8.self).hasPrefix("HTTP/1.1 101 "))
    #expect(peer.connection.isOpen)
  }

  @Test("messages split anywhere are received whole")
  func receivesInPieces() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    for byte in clientText("hello") + clientFrame(.binary, [1, 2]) { peer.deliver([byte]) }
    #expect(try peer.application.texts == ["hello", "2 bytes"])
    #expect(driven.transport.counters.messagesReceived == 2)
  }

  @Test("a ping is answered in the same turn")
  func answersPings() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    peer.deliver(clientFrame(.ping, [1, 2, 3]))
    driven.settle()
    #expect(peer.readAll() == serverFrame(.pong, [1, 2, 3]))
  }

  @Test("the peer's close frame is answered, the application notified and our side closed")
  func answersClose() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    let application = try peer.application
    peer.deliver(clientClose(.goingAway) + clientText("after the close"))
    driven.settle()
    #expect(application.reasons == [.peerClosed(.goingAway)])
    #expect(application.messages.isEmpty)
    #expect(peer.readAll() == serverClose(.goingAway))
    #expect(peer.hasEnded)
    peer.close()
    peer.connection.descriptorIsReady(for: .readable)
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("a reply to a message in the segment of the close frame is not sent after our close frame")
  func repliesBeforeTheClose() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    try peer.application.onMessage = { connection, _ in connection.send(text: Array("re".utf8)) }
    peer.deliver(clientText("a") + clientClose(.normalClosure))
    driven.settle()
    #expect(peer.readAll() == serverText("re") + serverClose(.normalClosure))
  }

  @Test("our close frame is the last thing sent; the peer's answer ends the connection")
  func closes() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    let application = try peer.application
    peer.connection.send(text: Array("last".utf8))
    peer.connection.close(.goingAway, reason: "bye")
    peer.connection.close(.normalClosure)
    peer.connection.send(text: Array("too late".utf8))
    driven.settle()
    #expect(application.reasons == [.closed(.goingAway)])
    #expect(peer.readAll() == serverText("last") + serverClose(.goingAway, "bye"))
    #expect(!peer.hasEnded)
    peer.deliver(clientText("dropped") + clientClose(.goingAway))
    driven.settle()
    #expect(peer.readAll().isEmpty && peer.hasEnded)
    #expect(application.messages.isEmpty && application.reasons.count == 1)
  }

  @Test("a message beyond the limit closes with 1009")
  func refusesLongMessages() throws {
    var configuration = TransportConfiguration()
    configuration.webSocket.messageBytes = 100
    let driven = try DrivenTransport(configuration)
    let peer = try driven.open()
    let application = try peer.application
    peer.deliver(clientFrame(.text, [UInt8](repeating: 97, count: 100)))
    peer.deliver(clientFrame(.text, [UInt8](repeating: 97, count: 101)))
    driven.settle()
    #expect(application.messages.count == 1)
    #expect(application.reasons == [.protocolError(.messageTooBig)])
    #expect(peer.readAll().starts(with: [0x88]))
    #expect(peer.hasEnded)
  }

  @Test("an unmasked frame closes with 1002")
  func refusesUnmaskedFrames() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    let application = try peer.application
    peer.deliver(serverText("unmasked"))
    driven.settle()
    #expect(application.reasons == [.protocolError(.protocolError)])
    #expect(peer.readAll().starts(with: [0x88]))
  }

  @Test("a connection that ends without a close frame is reported as lost")
  func losesPeers() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    let application = try peer.application
    Socket.shutDownWriting(peer.descriptor)
    peer.connection.descriptorIsReady(for: .readable)
    #expect(application.reasons == [.lost])
    #expect(driven.transport.connectionCount == 0)
    peer.connection.send(text: [1])
    peer.connection.close(.normalClosure)
    driven.settle()
    #expect(peer.readAll().isEmpty && peer.hasEnded)
  }

  @Test("output that the kernel does not accept is queued, and written in order when there is room")
  func waitsForRoom() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    peer.shrinkBuffer()
    var expected: [UInt8] = []
    for number in UInt8(0)..<30 {
      let payload = [UInt8](repeating: number, count: 3000)
      peer.connection.send(.binary(payload))
      expected += serverFrame(.binary, payload)
      if number % 7 == 0 { driven.settle() }
    }
    driven.settle()
    #expect(peer.connection.queuedByteCount > 0)
    #expect(peer.connection.interest.contains(.writable))
    #expect(peer.drain(driven) == expected)
    #expect(!peer.connection.interest.contains(.writable))
  }

  @Test("reading pauses while the peer does not read its replies")
  func pausesForRoom() throws {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = 40_000
    let driven = try DrivenTransport(configuration)
    let peer = try driven.open()
    peer.shrinkBuffer()
    let reply = [UInt8](repeating: 97, count: 1000)
    try peer.application.onMessage = { connection, _ in connection.send(text: reply) }
    for _ in 0..<35 {
      peer.deliver(clientText("more"))
      driven.settle()
    }
    #expect(peer.connection.interest == .writable)
    _ = peer.drain(driven)
    #expect(peer.connection.interest == .readable)
  }

  @Test("a paused connection is not watched for reading until it is resumed or closed")
  func pausesReading() throws {
    let driven = try DrivenTransport()
    let peer = try driven.open()
    peer.connection.pauseReading()
    #expect(peer.connection.interest == [])
    peer.connection.resumeReading()
    #expect(peer.connection.interest == .readable)
    peer.connection.pauseReading()
    peer.connection.close(.goingAway)
    driven.settle()
    // Without that the peer's answer would never be seen.
    #expect(peer.connection.interest == .readable)
  }

  @Test("a burst beyond the limit closes with 4004, and not silently")
  func closesAfterABurst() throws {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = 1000
    let driven = try DrivenTransport(configuration)
    let peer = try driven.open()
    let application = try peer.application
    for _ in 0..<3 {
      peer.connection.send(frames: serverFrame(.binary, Array(repeating: 1, count: 900)))
    }
    driven.settle()
    #expect(application.reasons == [.closed(.slowConsumer)])
    let close = serverClose(.slowConsumer, "too much is waiting to be written")
    #expect(peer.readAll().suffix(close.count) == close[...])
  }

  @Test("an ended connection does not affect the next holder of its descriptor number")
  func leavesSuccessorsAlone() throws {
    let driven = try DrivenTransport()
    let (ours, theirs) = try socketPair()
    // A number that nobody else in the process is given meanwhile.
    let number = fcntl(ours, F_DUPFD, 900)
    try #require(number >= 900)
    let peer = try driven.connect(number, dup(theirs))
    peer.connection.drop()
    try #require(dup2(ours, number) == number)
    defer { for descriptor in [ours, theirs, number] { Socket.close(descriptor) } }
    var byte: UInt8 = 7
    #expect(Glibc.send(theirs, &byte, 1, 0) == 1)
    peer.connection.descriptorIsReady(for: [.readable, .writable])
    #expect(Glibc.recv(number, &byte, 1, 0) == 1)
  }
}

extension RecordingApplication {
  /// The messages in words.
  var texts: [String] {
    messages.map { message in
      switch message {
      case .text(let bytes): String(decoding: bytes, as: UTF8.self)
      case .binary(let bytes): "\(bytes.count) bytes"
      }
    }
  }
}
