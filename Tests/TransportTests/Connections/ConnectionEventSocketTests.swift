import Glibc
import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("Connection: the socket of a stream")
struct ConnectionEventSocketTests {
  /// A stream, and the client of the response that carries its events.
  private final class Bench {
    let kernel = ScriptedKernel()
    let driven: DrivenTransport
    let stream: Connection
    let application = RecordingApplication()
    let budget = SocketBudget(limit: 100, overdraft: 0, loops: 1)

    init(_ change: (inout TransportConfiguration) -> Void = { _ in }) throws {
      var configuration = TransportConfiguration()
      let operations = SocketBudget(limit: 1, overdraft: 0, loops: 1)
      configuration.sockets = SocketSharing(
        loop: 0, clients: budget, operations: operations, askToShed: { _, _ in })
      change(&configuration)
      driven = try kernel.run { try DrivenTransport(configuration) }
      driven.answersLater = true
      #expect(driven.transport.makeRoom(in: .clients))
      let opener = try driven.connect()
      stream = try Connection.openStream(for: opener.connection, grace: 30_000).get()
      stream.begin(application) { _ in }
      stream.send(reply: Array("opened".utf8))
      opener.connection.drop()
    }

    var transport: Transport { driven.transport }

    /// Answers a request for the events with the socket of its connection.
    func read(
      after number: UInt64 = 0, version: String = "1.1", compressed: Bool = false
    ) throws -> DrivenPeer {
      try kernel.run {
        #expect(driven.transport.makeRoom(in: .clients))
        let peer = try driven.connect()
        kernel.adopt(peer.connection.descriptor)
        peer.deliver(Array("GET /a HTTP/\(version)\r\nHost: a\r\n\r\n".utf8))
        #expect(stream.resumeEvents(after: number) == .resumed)
        stream.carryEvents(
          after: Array(":\n\n".utf8), HTTPResponse(status: .ok), compressed: compressed,
          to: try #require(driven.exchanges.last))
        peer.connection = stream
        return peer
      }
    }

    func send(_ text: String) {
      kernel.run {
        stream.send(text: Array(text.utf8))
        driven.settle()
      }
    }

    /// Reads all that is to be written, also by the connection that a stream has left a socket to.
    func text(from peer: DrivenPeer) -> String {
      var (bytes, isWaiting) = ([UInt8](), true)
      kernel.run {
        while isWaiting {
          driven.settle()
          bytes += peer.readAll()
          isWaiting = false
          transport.forEachConnection { connection in
            if connection.queuedByteCount > 0 { isWaiting = true }
            connection.descriptorIsReady(for: .writable)
          }
        }
        bytes += peer.readAll()
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The numbers of the events in a response.
    func numbers(_ text: String) -> [Int] {
      text.matches(of: /id: (\d+)\n/).compactMap { Int($0.1) }
    }

    func fireTimer() throws {
      let token = try #require(stream.timer)
      kernel.run { stream.timerDidFire(token) }
    }
  }

  @Test("a stream and the request for its events are one connection, whose events are chunks")
  func carries() throws {
    let bench = try Bench()
    let peer = try bench.read()
    #expect(bench.transport.connectionCount == 1)
    #expect(bench.stream.descriptor >= 0)
    bench.send("a")
    let text = bench.text(from: peer)
    #expect(text.contains("\r\nTransfer-Encoding: chunked\r\n"))
    #expect(text.contains("\r\nConnection: close\r\n"))
    #expect(!text.contains("Content-Length"))
    #expect(text.hasSuffix("\r\n\r\n3\r\n:\n\n\r\nf\r\nid: 1\ndata: a\n\n\r\n"))
  }

  @Test("after the last event the response ends, and its socket waits for the client's end")
  func ends() throws {
    let bench = try Bench()
    let peer = try bench.read()
    bench.kernel.run { bench.stream.close(.normalClosure) }
    let text = bench.text(from: peer)
    #expect(text.contains("event: close\n"))
    #expect(text.hasSuffix("\r\n0\r\n\r\n"))
    #expect(peer.hasEnded)
    #expect(bench.transport.streamCount == 0)
    #expect(bench.transport.connectionCount == 1)
    bench.kernel.run { bench.transport.closeLingering() }
    #expect(bench.transport.connectionCount == 0)
    #expect(bench.kernel.openSockets.isEmpty)
    #expect(bench.transport.heldByteCount == 0)
  }

  @Test("a second request takes over, and the first response ends whole")
  func takesOver() throws {
    let bench = try Bench()
    let first = try bench.read()
    for text in ["a", "b", "c"] { bench.send(text) }
    let second = try bench.read(after: 1)
    #expect(bench.numbers(bench.text(from: second)) == [2, 3])
    let text = bench.text(from: first)
    #expect(bench.numbers(text) == [1, 2, 3])
    #expect(text.hasSuffix("\r\n0\r\n\r\n"))
    first.close()
    bench.send("d")
    #expect(bench.numbers(bench.text(from: second)) == [4])
    #expect(bench.stream.isOpen)
  }

  @Test("HTTP/1.0 gets no chunks, and gzip is ended by its checksum")
  func forms() throws {
    let bench = try Bench()
    let old = try bench.read(version: "1.0")
    bench.send("a")
    #expect(bench.text(from: old).hasSuffix("\r\n\r\n:\n\nid: 1\ndata: a\n\n"))
    let compressed = try bench.read(after: 1, compressed: true)
    #expect(old.hasEnded == false && bench.text(from: old).isEmpty && old.hasEnded)
    bench.send("b")
    bench.kernel.run { bench.stream.close(.normalClosure) }
    let bytes = bench.kernel.run { compressed.drain(bench.driven) }
    #expect(bytes.suffix(7) == Array("\r\n0\r\n\r\n".utf8))
    let magic = [UInt8]([0x1f, 0x8b, 8])
    #expect(bytes.indices.contains { bytes[$0...].starts(with: magic) })
  }

  @Test("a client that is gone leaves its stream without a socket", arguments: [true, false])
  func goneClient(resets: Bool) throws {
    let bench = try Bench()
    let peer = try bench.read()
    bench.send("a")
    // Unread bytes make the kernel reset the connection.
    if !resets { _ = bench.text(from: peer) }
    bench.kernel.run {
      peer.close()
      bench.stream.descriptorIsReady(for: resets ? [.readable, .hangup] : .readable)
    }
    #expect(bench.stream.isOpen)
    #expect(bench.stream.descriptor < 0)
    #expect(bench.kernel.openSockets.isEmpty)
    bench.send("b")
    let second = try bench.read(after: 0)
    #expect(bench.numbers(bench.text(from: second)) == [1, 2])
    #expect(bench.application.reasons.isEmpty)
  }

  @Test("a socket that breaks at the first write leaves a stream that ends when nothing reads it")
  func breaksAtOnce() throws {
    let bench = try Bench()
    // The first call sends the request.
    bench.kernel.play { $0.kind == .send && $0.number > 0 ? .fail(EPIPE) : .pass }
    let peer = try bench.read()
    #expect(bench.stream.descriptor < 0)
    #expect(bench.stream.isOpen)
    try bench.fireTimer()
    #expect(bench.application.reasons == [.lost])
    #expect(bench.transport.connectionCount == 0)
    #expect(bench.kernel.openSockets.isEmpty)
    withExtendedLifetime(peer) {}
  }

  @Test(
    "a socket that breaks in a fan-out loses no event, and the sockets of others none",
    arguments: [SystemCall.send, .epollModify])
  func breaks(at kind: SystemCall) throws {
    let bench = try Bench { $0.gathersSystemCalls = false }
    let peer = try bench.read()
    let feed = BroadcastBuffer(encoding: .events, transport: bench.transport)
    let subscription = feed.subscribe(bench.stream)
    let descriptor = bench.stream.descriptor
    bench.kernel.play {
      guard $0.descriptor == descriptor else { return .pass }
      if $0.kind == kind { return .fail(ECONNRESET) }
      return $0.kind == .send ? .fail(EAGAIN) : .pass
    }
    for text in ["a", "b"] {
      var frames: [UInt8] = []
      bench.transport.appendFrame(text: Array(text.utf8), encoding: .events, into: &frames)
      bench.kernel.run {
        feed.publish(frames, except: [])
        bench.driven.settle()
      }
    }
    #expect(bench.kernel.openSockets.isEmpty)
    #expect(bench.stream.isOpen)
    bench.kernel.play { _ in .pass }
    let second = try bench.read(after: 0)
    #expect(bench.numbers(bench.text(from: second)) == [1, 2])
    feed.cancel(subscription)
    withExtendedLifetime(peer) {}
  }

  @Test("calls that transfer few bytes split chunks anywhere without loss", arguments: 1...7)
  func trickles(_ step: Int) throws {
    let bench = try Bench()
    let peer = try bench.read()
    let descriptor = bench.stream.descriptor
    bench.kernel.play {
      guard $0.descriptor == descriptor, $0.kind == .send else { return .pass }
      return $0.turn % 5 == 4 ? .fail(EAGAIN) : .atMost(step)
    }
    for number in 0..<20 { bench.send("text \(number)") }
    bench.kernel.run { bench.stream.close(.normalClosure) }
    let text = bench.text(from: peer)
    #expect(bench.numbers(text) == Array(1...21))
    #expect(text.hasSuffix("\r\n0\r\n\r\n"))
  }

  @Test("input after the request is ignored, even while no posted message is received")
  func ignoresInput() throws {
    let bench = try Bench()
    let peer = try bench.read()
    bench.stream.pauseReading()
    bench.kernel.run {
      peer.write("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
      bench.stream.descriptorIsReady(for: .readable)
    }
    #expect(bench.driven.exchanges.count == 1)
    #expect(bench.stream.interest.contains(.readable))
    bench.send("a")
    #expect(bench.numbers(bench.text(from: peer)) == [1])
  }

  @Test("a client that reads nothing loses its response after a time, and no event")
  func stalls() throws {
    let bench = try Bench { $0.progressTimeout = 0 }
    let peer = try bench.read()
    // With nothing waiting, silence is no fault.
    for _ in 0..<3 { try bench.fireTimer() }
    #expect(bench.stream.descriptor >= 0)
    let descriptor = bench.stream.descriptor
    bench.kernel.play {
      $0.descriptor == descriptor && $0.kind == .send ? .fail(EAGAIN) : .pass
    }
    bench.send("a")
    try bench.fireTimer()
    #expect(bench.stream.descriptor < 0)
    #expect(bench.stream.isOpen)
    bench.kernel.play { _ in .pass }
    let second = try bench.read(after: 0)
    #expect(bench.numbers(bench.text(from: second)) == [1])
    withExtendedLifetime(peer) {}
  }

  @Test("a stream that holds too much memory ends its response unless little waits there")
  func sheds() throws {
    for (size, isKept) in [(10_000, true), (100_000, false)] {
      let bench = try Bench()
      let peer = try bench.read()
      let descriptor = bench.stream.descriptor
      bench.kernel.play {
        $0.descriptor == descriptor && $0.kind == .send ? .fail(EAGAIN) : .pass
      }
      bench.send(String(repeating: "x", count: size))
      bench.kernel.play { _ in .pass }
      bench.kernel.run { bench.stream.shed(.slowConsumer, reason: "too much") }
      #expect((bench.stream.descriptor == descriptor) == isKept)
      let reader = isKept ? peer : try bench.read(after: 1)
      #expect(bench.text(from: reader).contains("event: close\n"))
      withExtendedLifetime(peer) {}
    }
  }

  @Test("the sockets of streams are counted once, wherever they are")
  func counts() throws {
    let bench = try Bench()
    var peers: [DrivenPeer] = []
    for _ in 0..<3 { peers.append(try bench.read(after: 0)) }
    bench.kernel.run { bench.stream.drop() }
    bench.driven.settle()
    bench.kernel.run { bench.transport.closeLingering() }
    #expect(bench.transport.connectionCount == 0)
    #expect(bench.kernel.openSockets.isEmpty)
    for _ in 0..<100 { #expect(bench.budget.take() == .atEase) }
    #expect(bench.budget.take() == .exhausted)
  }

  @Test(
    "a fan-out is written at once, and what a socket does not accept follows in order",
    arguments: [1, 12])
  func fanOut(streamCount: Int) throws {
    let driven = try DrivenTransport(TransportConfiguration())
    driven.answersLater = true
    let feed = BroadcastBuffer(encoding: .events, transport: driven.transport)
    let clients = try (0..<streamCount).map { _ in try driven.connect() }
    var streams: [EventStream] = []
    for client in clients {
      let stream = try Connection.openStream(for: client.connection, grace: 30_000).get()
      stream.begin(RecordingApplication()) { _ in }
      stream.send(reply: Array("opened".utf8))
      client.deliver(Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      stream.carryEvents(
        after: [], HTTPResponse(status: .ok), compressed: false,
        to: try #require(driven.exchanges.last))
      client.connection = stream
      streams.append(try #require(stream.events))
      _ = feed.subscribe(stream)
    }
    var answers = clients.map { $0.drain(driven) }
    var count = 0
    func publish(_ size: Int) {
      var frames: [UInt8] = []
      for _ in 0..<3 {
        driven.transport.appendFrame(
          text: Array(repeating: 0x78, count: size), encoding: .events, into: &frames)
      }
      feed.publish(frames, except: [])
      driven.settle()
      count += 3
    }
    func areWrittenAtOnce() -> Bool {
      streams.allSatisfy { $0.descriptor >= 0 && !$0.buffer.hasWaiting }
    }
    publish(10)
    #expect(areWrittenAtOnce())
    // Two of these chunks are more than a ring copies.
    publish(15_000)
    #expect(areWrittenAtOnce())
    // The clients do not read.
    while streams.contains(where: { $0.descriptor >= 0 }) { publish(20_000) }
    #expect(clients.allSatisfy { $0.connection.queuedByteCount > 0 })
    publish(10)
    for _ in 0..<40 {
      for index in clients.indices { answers[index] += clients[index].drain(driven) }
    }
    #expect(areWrittenAtOnce())
    publish(10)
    for index in clients.indices {
      answers[index] += clients[index].drain(driven)
      let found = String(decoding: answers[index], as: UTF8.self).matches(of: /id: (\d+)\n/)
      #expect(found.map { $0.1 } == (1...count).map { Substring("\($0)") })
    }
    #expect(driven.transport.counters.slowConsumers == 0)
  }
}
