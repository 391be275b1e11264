import Glibc
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("Failing system calls under listeners")
struct ListenerFailureTests {
  /// A listener on a scripted kernel, whose loop ends once a connection is there.
  private final class Bench {
    let kernel = ScriptedKernel()
    let driven: DrivenTransport
    let client: Int32
    private(set) var errors: [Int32] = []

    init() throws {
      let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
      let listener = try Socket.listen(on: address)
      client = try Socket.connect(to: SocketAddress(boundTo: listener))
      driven = try kernel.run { try DrivenTransport() }
      try kernel.run { try driven.transport.listen(listener, security: .plain) }
      driven.onCannotAccept = { [unowned self] in errors.append($0.code) }
      driven.loop.endOfTurn = { [unowned self] in
        if driven.transport.connectionCount == 1 { driven.loop.stop() }
        return driven.transport.flush()
      }
    }

    deinit {
      driven.transport.stopListening()
      Socket.close(client)
    }

    func run() { kernel.run { driven.loop.run() } }
  }

  @Test(
    "without descriptors or memory accepting pauses, is reported once, and resumes",
    arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
  func pauses(_ code: Int32) throws {
    let bench = try Bench()
    bench.kernel.play { $0.kind == .accept && $0.number < 3 ? .fail(code) : .pass }
    bench.run()
    #expect(bench.errors == [code])
    // One try in each pause, then the connection, then nothing more.
    #expect(bench.kernel.count(of: .accept) == 5)
    // The loop slept meanwhile.
    #expect(bench.kernel.count(of: .epollWait) < 20)
  }

  @Test("a connection that can't be watched is closed, and accepting continues")
  func refusesUnwatched() throws {
    let bench = try Bench()
    let second = try kernelClient(of: bench)
    bench.kernel.play { $0.kind == .epollAdd && $0.number == 0 ? .fail(ENOSPC) : .pass }
    bench.run()
    #expect(bench.errors == [ENOSPC])
    #expect(bench.driven.transport.connectionCount == 1)
    // The loop's own, and the one connection.
    let connection = try #require(descriptors(of: bench).first)
    #expect(bench.kernel.openDescriptors.count == 2)
    #expect(bench.kernel.openDescriptors.contains(connection))
    Socket.close(second)
  }

  @Test("a listener that can't be watched again retries until it can")
  func resumes() throws {
    let bench = try Bench()
    bench.kernel.play {
      switch ($0.kind, $0.number) {
      case (.accept, 0): .fail(EMFILE)
      case (.epollAdd, 0): .fail(ENOMEM)
      default: .pass
      }
    }
    bench.run()
    #expect(bench.errors == [EMFILE])
    #expect(bench.driven.transport.connectionCount == 1)
  }

  private func descriptors(of bench: Bench) -> [Int32] {
    var found: [Int32] = []
    bench.driven.transport.forEachConnection { found.append($0.descriptor) }
    return found
  }

  /// Another client of the same listener.
  private func kernelClient(of bench: Bench) throws -> Int32 {
    try Socket.connect(to: SocketAddress(peerOf: bench.client))
  }
}
