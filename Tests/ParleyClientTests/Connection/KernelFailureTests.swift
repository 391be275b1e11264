import ClientSockets
import ClientTransport
@testable import ParleyClient
import Glibc
import Reactor
import TestPeers
import TestSupport
import Testing

@Suite("Failing system calls under a client", .onOwnThreads)
struct KernelFailureTests {
  /// Opens a session and makes a call on a scripted kernel, then gives everything back.
  private func converse(_ kernel: ScriptedKernel, over server: ScriptedServer) async throws {
    do {
      let rig = try EngineRig(server.url, on: kernel.run { try ClientLoop() })
      _ = try await rig.open()
      let text = "{\"m\":\"\(String(repeating: "x", count: 20_000))\"}"
      #expect(try await rig.call("message.send", text).hasPrefix(#"{"n":"#))
      await rig.close()
    }
    try await Deadline.standard.wait(for: "all sockets to be closed") { kernel.openSockets.isEmpty }
  }

  @Test(
    "a connection that breaks at any system call is re-established, and leaks no socket",
    arguments: [
      (SystemCall.socket, EMFILE), (.connect, ECONNREFUSED), (.getsockopt, ENOBUFS),
      (.epollAdd, ENOSPC), (.epollModify, ENOMEM), (.recv, ECONNRESET), (.recv, ETIMEDOUT),
      (.send, ECONNRESET), (.send, EPIPE),
    ])
  func recovers(_ kind: SystemCall, _ code: Int32) async throws {
    let server = try ScriptedServer { socket, _ in try WebSocketPeer(socket).answerAll() }
    defer { server.stop() }
    // The loop itself watches one descriptor first.
    let first = kind == .epollAdd ? 1 : 0
    for number in first..<(first + 3) {
      let kernel = ScriptedKernel { call in
        guard call.kind == kind, call.number == number else { return .pass }
        // What is broken in one direction is so in the other.
        if [.send, .recv].contains(kind) { shutdown(call.descriptor, Int32(SHUT_RDWR)) }
        return .fail(code)
      }
      try await converse(kernel, over: server)
    }
  }

  @Test("calls that block, are interrupted or transfer few bytes lose nothing")
  func trickles() async throws {
    let server = try ScriptedServer { socket, _ in try WebSocketPeer(socket).answerAll() }
    defer { server.stop() }
    let kernel = ScriptedKernel {
      guard [.send, .recv, .epollWait].contains($0.kind) else { return .pass }
      switch ($0.kind, $0.number % 4) {
      case (.epollWait, 0), (_, 1): return .fail(EINTR)
      case (.epollWait, _): return .pass
      case (_, 0): return .fail(EAGAIN)
      default: return .atMost(997)
      }
    }
    try await converse(kernel, over: server)
    #expect(server.connectionCount == 1)
  }
}
