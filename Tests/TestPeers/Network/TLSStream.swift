package import Streams
package import TestSupport

/// A TLS connection on top of a socket, as a client.
package final class TLSStream: ByteStream {
  private let socket: StreamSocket
  private let session: TLSSession
  private let scratch: TLSScratch
  private var plaintext: [UInt8] = []
  private var hasEnded = false

  /// Connects and shakes hands.
  ///
  /// - Throws: `TLSError` when the certificate is not what `context` trusts.
  package init(
    port: UInt16, _ context: TLSClientContext, hostname: String = "127.0.0.1",
    _ deadline: Deadline = .standard
  ) throws {
    socket = try StreamSocket(port: port, deadline)
    scratch = try TLSScratch()
    session = try TLSSession(client: context, hostname: hostname)
    try session.startHandshake(scratch: scratch)
    try flush(deadline)
    while !session.isEstablished {
      try receive(deadline)
      guard !hasEnded else { throw TestFailure("the server ended the handshake") }
    }
  }

  package func read(_ deadline: Deadline) throws -> [UInt8] {
    while plaintext.isEmpty, !hasEnded { try receive(deadline) }
    defer { plaintext = [] }
    return plaintext
  }

  package func write(_ bytes: [UInt8], _ deadline: Deadline) throws {
    try bytes.withUnsafeBytes { try session.send($0, scratch: scratch) }
    try flush(deadline)
  }

  package func close() {
    socket.close()
  }

  private func receive(_ deadline: Deadline) throws {
    let ciphertext = try socket.read(deadline)
    guard !ciphertext.isEmpty else {
      hasEnded = true
      return
    }
    let progress = try ciphertext.withUnsafeBytes {
      try session.receive($0, plaintext: &plaintext, scratch: scratch)
    }
    if progress == .closedByPeer { hasEnded = true }
    try flush(deadline)
  }

  private func flush(_ deadline: Deadline) throws {
    guard scratch.outgoing.count > 0 else { return }
    try socket.write([UInt8](scratch.outgoing), deadline)
    scratch.removeOutgoing()
  }
}
