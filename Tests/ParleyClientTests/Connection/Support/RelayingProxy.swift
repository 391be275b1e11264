import Synchronization
import TestPeers
import TestSupport

/// What a proxy was asked for last.
final class RequestLog: Sendable {
  private let request = Mutex("")

  var text: String { request.withLock { $0 } }

  func set(_ text: String) {
    request.withLock { $0 = text }
  }
}

/// A proxy that answers `CONNECT`, and relays to a port of this machine if it said yes.
final class RelayingProxy: Sendable {
  let server: ScriptedServer

  init(answer: String, to port: UInt16, _ log: RequestLog) throws {
    server = try ScriptedServer { client, _ in
      var head = ""
      while !head.hasSuffix("\r\n\r\n") {
        let piece = try client.read(.standard)
        guard !piece.isEmpty else { return }
        head += String(decoding: piece, as: UTF8.self)
      }
      log.set(head)
      try client.write(Array(answer.utf8), .standard)
      guard answer.contains(" 200 ") else {
        _ = try? client.readToEnd()
        return
      }
      try Self.relay(client, try StreamSocket(port: port))
    }
  }

  /// Carries bytes both ways until either side ends.
  private static func relay(_ one: StreamSocket, _ other: StreamSocket) throws {
    while true {
      if try !pass(from: one, to: other) { return }
      if try !pass(from: other, to: one) { return }
    }
  }

  /// Passes on what is there within a few milliseconds.
  private static func pass(from one: StreamSocket, to other: StreamSocket) throws -> Bool {
    guard let bytes = try? one.read(.in(seconds: 0.005)) else { return true }
    guard !bytes.isEmpty else { return false }
    try other.write(bytes, .standard)
    return true
  }
}
