import Glibc
import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("Failing system calls under connections")
struct KernelFailureTests {
  /// A transport on a scripted kernel, with the socket pairs of its connections counted.
  private final class Bench {
    let kernel = ScriptedKernel()
    let driven: DrivenTransport

    init() throws {
      driven = try kernel.run { try DrivenTransport() }
    }

    func open() throws -> DrivenPeer {
      let peer = try kernel.run { try driven.open() }
      kernel.adopt(peer.connection.descriptor)
      return peer
    }

    /// Fails when the other connection does not go on, or a socket of the transport is left open.
    func expectOnly(_ peer: DrivenPeer, from location: SourceLocation = #_sourceLocation) throws {
      kernel.play { _ in .pass }
      try kernel.run {
        #expect(driven.transport.connectionCount == 1, sourceLocation: location)
        let application = try peer.application
        application.onMessage = { $0.send($1) }
        peer.deliver(clientText("well"))
        driven.settle()
        #expect(peer.readAll() == serverText("well"), sourceLocation: location)
      }
      let sockets = kernel.openDescriptors.filter { $0 == peer.connection.descriptor }
      #expect(sockets.count == 1, sourceLocation: location)
    }
  }

  /// Sends three messages back and forth, as far as that goes.
  private func converse(_ bench: Bench, _ peer: DrivenPeer) {
    bench.kernel.run {
      for number in 0..<3 {
        let text = String(repeating: "\(number)", count: 100)
        // The peer's own calls pass; those of a connection that is closed are in vain.
        _ = clientText(text).withUnsafeBytes { Socket.send(peer.descriptor, $0) }
        peer.connection.descriptorIsReady(for: .readable)
        bench.driven.settle()
      }
    }
  }

  @Test(
    "a broken connection closes at whichever call it breaks, and others remain usable",
    arguments: [ECONNRESET, EPIPE, ETIMEDOUT])
  func breaksAnywhere(_ code: Int32) throws {
    for kind in [SystemCall.recv, .send] {
      for number in 0..<3 {
        let bench = try Bench()
        let (steady, broken) = (try bench.open(), try bench.open())
        let (descriptor, application) = (broken.connection.descriptor, try broken.application)
        application.onMessage = { $0.send($1) }
        bench.kernel.play {
          $0.kind == kind && $0.descriptor == descriptor && $0.turn >= number
            ? .fail(code) : .pass
        }
        converse(bench, broken)
        #expect(application.reasons == [.lost], "\(kind) \(number)")
        #expect(!bench.kernel.openDescriptors.contains(descriptor))
        try bench.expectOnly(steady)
      }
    }
  }

  @Test("when every second call would block, all data still arrives")
  func stutters() throws {
    let bench = try Bench()
    let peer = try bench.open()
    let (descriptor, application) = (peer.connection.descriptor, try peer.application)
    application.onMessage = { $0.send($1) }
    bench.kernel.play {
      $0.descriptor == descriptor && [.send, .recv].contains($0.kind) && $0.turn % 2 == 0
        ? .fail(EAGAIN) : .pass
    }
    bench.kernel.run {
      for number in 0..<20 {
        peer.write(clientText("number \(number)"))
        // As epoll does, for as long as there is something to read.
        peer.connection.descriptorIsReady(for: .readable)
        peer.connection.descriptorIsReady(for: .readable)
        #expect(peer.drain(bench.driven) == serverText("number \(number)"))
      }
    }
  }

  @Test("calls that transfer few bytes split messages anywhere without loss", arguments: 1...7)
  func trickles(_ step: Int) throws {
    let bench = try Bench()
    let peer = try bench.open()
    let (descriptor, application) = (peer.connection.descriptor, try peer.application)
    application.onMessage = { $0.send($1) }
    bench.kernel.play {
      switch ($0.descriptor == descriptor, $0.kind) {
      // Some full stops too: what is left has to wait for readiness.
      case (true, .send) where $0.turn % 5 == 4: .fail(EAGAIN)
      case (true, .send), (true, .recv): .atMost(step)
      default: .pass
      }
    }
    bench.kernel.run {
      let text = (0..<40).map { "piece \($0)" }.joined()
      let frame = clientText(text)
      peer.write(frame)
      for _ in 0..<frame.count { peer.connection.descriptorIsReady(for: .readable) }
      #expect(peer.drain(bench.driven) == serverText(text))
    }
    #expect(application.reasons.isEmpty)
  }

  @Test("a fan-out reaches all subscribers through short and blocked writes, in order")
  func fansOut() throws {
    let bench = try Bench()
    let peers = try (0..<20).map { _ in try bench.open() }
    let feed = BroadcastBuffer(encoding: .plain, transport: bench.driven.transport)
    for peer in peers { _ = feed.subscribe(peer.connection) }
    let descriptors = peers.map(\.connection.descriptor)
    bench.kernel.play {
      guard $0.kind == .send, descriptors.contains($0.descriptor) else { return .pass }
      switch $0.number % 4 {
      case 0: return .atMost(3)
      case 1: return .fail(EAGAIN)
      case 2: return .fail(EINTR)
      default: return .pass
      }
    }
    var expected: [UInt8] = []
    bench.kernel.run {
      for number in 0..<10 {
        feed.publish(serverText("event \(number)"), except: [])
        expected += serverText("event \(number)")
        bench.driven.settle()
      }
      for peer in peers { #expect(peer.drain(bench.driven) == expected) }
    }
  }

  @Test("a subscriber whose socket breaks in a fan-out is closed after it, others get all bytes")
  func breaksInFanOut() throws {
    for number in 0..<12 {
      let bench = try Bench()
      let peers = try (0..<12).map { _ in try bench.open() }
      let feed = BroadcastBuffer(encoding: .plain, transport: bench.driven.transport)
      for peer in peers { _ = feed.subscribe(peer.connection) }
      let descriptors = peers.map(\.connection.descriptor)
      bench.kernel.play {
        $0.kind == .send && $0.number == number && descriptors.contains($0.descriptor)
          ? .fail(ECONNRESET) : .pass
      }
      bench.kernel.run {
        feed.publish(serverText("a"), except: [])
        bench.driven.settle()
        feed.publish(serverText("b"), except: [])
        bench.driven.settle()
      }
      #expect(bench.driven.transport.connectionCount == 11)
      let received = bench.kernel.run { peers.map { $0.readAll() } }
      #expect(received.count { $0 == serverText("a") + serverText("b") } == 11)
      #expect(received[number].isEmpty)
    }
  }

  @Test("a connection whose interest can't be changed is closed, and others remain usable")
  func failsToChangeInterest() throws {
    let bench = try Bench()
    let (steady, full) = (try bench.open(), try bench.open())
    let (descriptor, application) = (full.connection.descriptor, try full.application)
    bench.kernel.play {
      guard $0.descriptor == descriptor else { return .pass }
      return $0.kind == .send ? .fail(EAGAIN) : $0.kind == .epollModify ? .fail(ENOMEM) : .pass
    }
    bench.kernel.run {
      full.connection.send(text: Array("waits".utf8))
      bench.driven.settle()
    }
    #expect(application.reasons == [.lost])
    #expect(!bench.kernel.openDescriptors.contains(descriptor))
    try bench.expectOnly(steady)
  }

  @Test("a connection that can't be watched while it lingers is closed too")
  func failsToWatchTheEnd() throws {
    let bench = try Bench()
    let (steady, paused) = (try bench.open(), try bench.open())
    let descriptor = paused.connection.descriptor
    bench.kernel.run { paused.connection.pauseReading() }
    bench.kernel.play {
      $0.descriptor == descriptor && $0.kind == .epollModify ? .fail(ENOMEM) : .pass
    }
    bench.kernel.run {
      paused.connection.end()
      bench.driven.settle()
    }
    #expect(!bench.kernel.openDescriptors.contains(descriptor))
    try bench.expectOnly(steady)
  }

  @Test("a file that can't be sent further closes its connection", arguments: [EIO, ECONNRESET])
  func filesBreak(_ code: Int32) throws {
    let kernel = ScriptedKernel()
    let (server, peer) = try kernel.run {
      let server = try BodyServer()
      server.file = FileSpan(try OpenFile(readingFrom: "/bin/bash"), 0..<100_000)
      return (server, try server.connect())
    }
    kernel.adopt(peer.connection.descriptor)
    kernel.play { $0.kind == .sendfile ? ($0.number == 0 ? .atMost(1000) : .fail(code)) : .pass }
    kernel.run {
      peer.deliver(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      server.settle()
    }
    #expect(server.transport.connectionCount == 0)
    #expect(kernel.count(of: .sendfile) == 2)
  }
}
