import Streams
import TestPeers
import TestSupport

/// A TLS connection on top of a socket, as a server.
final class TLSServerStream: ByteStream {
  private let socket: any ByteStream
  private let session: TLSSession
  private let scratch: TLSScratch
  private var plaintext: [UInt8] = []
  private var hasEnded = false

  /// Shakes hands.
  init(_ socket: any ByteStream, _ context: TLSServerContext) throws {
    self.socket = socket
    scratch = try TLSScratch()
    session = try TLSSession(server: context)
    while !session.isEstablished {
      try receive(.standard)
      guard !hasEnded else { throw TestFailure("the client ended the handshake") }
    }
  }

  func read(_ deadline: Deadline) throws -> [UInt8] {
    while plaintext.isEmpty, !hasEnded { try receive(deadline) }
    defer { plaintext = [] }
    return plaintext
  }

  func write(_ bytes: [UInt8], _ deadline: Deadline) throws {
    try bytes.withUnsafeBytes { try session.send($0, scratch: scratch) }
    try flush(deadline)
  }

  func close() {
    socket.close()
  }

  private func receive(_ deadline: Deadline) throws {
    let ciphertext = try socket.read(deadline)
    guard !ciphertext.isEmpty else {
      hasEnded = true
      return
    }
    defer { try? flush(deadline) }
    let progress = try ciphertext.withUnsafeBytes {
      try session.receive($0, plaintext: &plaintext, scratch: scratch)
    }
    if progress == .closedByPeer { hasEnded = true }
  }

  private func flush(_ deadline: Deadline) throws {
    guard scratch.outgoing.count > 0 else { return }
    try socket.write([UInt8](scratch.outgoing), deadline)
    scratch.removeOutgoing()
  }
}
