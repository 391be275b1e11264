import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("Connection: bodies in chunks")
struct ReceivedBodyTests {
  private func head(_ length: Int, _ more: String = "") -> [UInt8] {
    Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(more)\r\n".utf8)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func receiving(
    _ configuration: TransportConfiguration = TransportConfiguration()
  ) throws -> (BodyServer, DrivenPeer) {
    let server = try BodyServer(configuration)
    server.decision = .pieces(limit: 10_000_000, server)
    return (server, try server.connect())
  }

  @Test("a body is delivered as it is sent, and the next request after it")
  func pieces() throws {
    let (server, peer) = try receiving()
    let body = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    peer.deliver(head(body.count) + body[..<10])
    #expect(server.received.elementsEqual(body[..<10]))
    peer.deliver(Array(body[10..<20_000]))
    peer.deliver(body[20_000...] + Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    server.settle()
    #expect(server.received == body)
    #expect(server.endCount == 1)
    let answers = text(peer.readAll())
    #expect(answers.contains("taken") && answers.hasSuffix("hello"))
    #expect(server.requests.count == 1)
    #expect(server.abandonmentCount == 0)
  }

  @Test("bodies are read at the end of a turn, sixteen per turn, in order")
  func turns() throws {
    let server = try BodyServer(TransportConfiguration())
    server.decision = .pieces(limit: 100, server)
    let peers = try (0..<40).map { _ in try server.connect() }
    for peer in peers { peer.deliver(head(100)) }
    for (number, peer) in peers.enumerated() {
      peer.write([UInt8(number)])
      peer.connection.descriptorIsReady(for: .readable)
      // Readiness that is reported again does not give a second turn.
      peer.connection.descriptorIsReady(for: .readable)
    }
    #expect(server.received.isEmpty)
    var counts: [Int] = []
    var outcome = TurnOutcome.unfinished
    while outcome == .unfinished {
      outcome = server.transport.flush()
      counts.append(server.received.count)
    }
    #expect(counts == [16, 32, 40])
    #expect(server.received == (0..<40).map { UInt8($0) })
  }

  @Test("a single body is read several times per turn, one among many once")
  func reads() throws {
    let piece = [UInt8](repeating: 7, count: 140_000)
    for (others, expected) in [(0, 140_000), (15, 65_536)] {
      let server = try BodyServer(TransportConfiguration())
      server.decision = .pieces(limit: 10_000_000, server)
      let peers = try (0...others).map { _ in try server.connect() }
      for peer in peers { peer.deliver(head(1_000_000)) }
      peers[0].write(piece)
      for peer in peers { peer.connection.descriptorIsReady(for: .readable) }
      _ = server.transport.flush()
      #expect(server.received.count == expected, "beside \(others)")
    }
  }

  @Test("a body whose connection ends before its turn is not read")
  func lostTurn() throws {
    let (server, peer) = try receiving()
    peer.deliver(head(10))
    peer.write(Array("late".utf8))
    peer.connection.descriptorIsReady(for: .readable)
    peer.connection.drop()
    server.settle()
    #expect(server.received.isEmpty && server.abandonmentCount == 1)
  }

  @Test("a whole body is still collected")
  func whole() throws {
    let (server, peer) = try receiving()
    server.decision = .whole
    peer.deliver(head(2) + Array("hi".utf8))
    #expect(server.requests.first?.body == Array("hi".utf8))
    #expect(server.pieceCount == 0)
  }

  @Test("a request refused by its head is answered at once, and its body never requested")
  func refusesTheHead() throws {
    let (server, peer) = try receiving()
    server.decision = .refused(HTTPResponse(status: .unauthorized, text: "no"))
    peer.deliver(head(100, "Expect: 100-continue\r\n"))
    server.settle()
    let answer = text(peer.readAll())
    #expect(answer.hasPrefix("HTTP/1.1 401 "))
    #expect(peer.hasEnded)
    #expect(server.pieceCount == 0 && server.abandonmentCount == 0)
  }

  @Test("a client that expects 100 Continue receives it once the head is accepted")
  func continues() throws {
    let (server, peer) = try receiving()
    peer.deliver(head(1, "Expect: 100-continue\r\n"))
    server.settle()
    #expect(peer.readAll() == HTTPResponse.continueBytes)
    peer.deliver(Array("!".utf8))
    server.settle()
    #expect(text(peer.readAll()).hasPrefix("HTTP/1.1 200 "))
  }

  @Test("a declared length beyond the limit is refused with 413 before any of it is read")
  func limitsLength() throws {
    let (server, peer) = try receiving()
    peer.deliver(head(10_000_001))
    server.settle()
    #expect(text(peer.readAll()).hasPrefix("HTTP/1.1 413 "))
    #expect(server.abandonmentCount == 1 && server.pieceCount == 0)
  }

  @Test("a receiver that is full pauses the reading until it has room")
  func backpressure() throws {
    let (server, peer) = try receiving()
    server.demand = .later
    peer.deliver(head(6) + Array("abc".utf8))
    #expect(!peer.connection.interest.contains(.readable))
    server.demand = .more
    peer.connection.resumeBody()
    #expect(peer.connection.interest.contains(.readable))
    peer.deliver(Array("def".utf8))
    #expect(server.received == Array("abcdef".utf8))
    #expect(server.endCount == 1)
  }

  @Test("a refusal in the middle is sent, and the remaining body is discarded")
  func refusesInTheMiddle() throws {
    let (server, peer) = try receiving()
    server.demand = .refused(HTTPResponse(status: .contentTooLarge, text: "enough"))
    peer.deliver(head(1000) + Array("abc".utf8))
    server.settle()
    #expect(text(peer.readAll()).hasSuffix("enough"))
    #expect(peer.hasEnded)
    #expect(server.abandonmentCount == 1)
    peer.deliver(Array("more".utf8))
    #expect(server.pieceCount == 1)
  }

  @Test("a response sent before the end of the body ends it")
  func answersInTheMiddle() throws {
    let (server, peer) = try receiving()
    peer.deliver(head(1000) + Array("abc".utf8))
    peer.connection.respond(HTTPResponse(status: .internalServerError, text: "broken"))
    server.settle()
    #expect(text(peer.readAll()).hasPrefix("HTTP/1.1 500 "))
    #expect(peer.hasEnded)
    #expect(server.endCount == 0)
  }

  @Test("the receiver is notified once when the peer disconnects in the middle")
  func abandonment() throws {
    let (server, peer) = try receiving()
    peer.deliver(head(10) + Array("abc".utf8))
    peer.close()
    peer.connection.descriptorIsReady(for: .readable)
    server.settle()
    #expect(server.abandonmentCount == 1)
    #expect(server.endCount == 0)
    #expect(server.transport.connectionCount == 0)
  }

  @Test("a broken chunked body is refused, and the receiver notified")
  func brokenBody() throws {
    let (server, peer) = try receiving()
    peer.deliver(
      Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx".utf8))
    peer.deliver(Array("\r\n".utf8))
    server.settle()
    #expect(text(peer.readAll()).hasPrefix("HTTP/1.1 400 "))
    #expect(server.abandonmentCount == 1)
  }

  @Test("a body that stops arriving, or takes too long in total, is refused with 408")
  func timesOut() throws {
    for (silence, whole) in [(Int64(1), Int64(100_000)), (100_000, 1)] {
      var configuration = TransportConfiguration()
      configuration.headTimeout = silence
      configuration.bodyTimeout = whole
      let (server, peer) = try receiving(configuration)
      let stopper = LoopStopper(server.loop)
      peer.deliver(head(10) + Array("abc".utf8))
      server.loop.endOfTurn = {
        server.settle()
        if server.abandonmentCount > 0 { server.loop.stop() }
        return .idle
      }
      stopper.arm()
      server.loop.run()
      #expect(text(peer.readAll()).hasPrefix("HTTP/1.1 408 "))
      #expect(server.abandonmentCount == 1)
      server.loop.endOfTurn = { .idle }
    }
  }
}

/// Ends a loop that would otherwise wait for ever.
private final class LoopStopper: TimerHandler {
  private let loop: EventLoop

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  func arm() {
    _ = loop.schedule(after: Duration.seconds(60).patientMilliseconds, self)
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    Issue.record("nothing happened")
    loop.stop()
  }
}
