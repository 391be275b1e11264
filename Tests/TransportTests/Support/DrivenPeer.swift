import Glibc
import Reactor
import TestSupport
import Testing
import HTTP

@testable import Transport

/// The other end of a connection of a ``DrivenTransport``.
final class DrivenPeer {
  private(set) var descriptor: Int32
  /// Another one once a stream has taken the socket over.
  var connection: Connection
  /// Whether the connection's side has ended.
  private(set) var hasEnded = false

  init(descriptor: Int32, connection: Connection) {
    self.descriptor = descriptor
    self.connection = connection
  }

  deinit {
    close()
  }

  func close() {
    if descriptor >= 0 { hangUp(descriptor) }
    descriptor = -1
  }

  /// What runs on the connection, once it is open.
  var application: RecordingApplication {
    get throws { try #require(connection.application as? RecordingApplication) }
  }

  func write(_ bytes: [UInt8]) {
    let outcome = bytes.withUnsafeBytes { Socket.send(descriptor, $0) }
    #expect(outcome == .transferred(bytes.count))
  }

  func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// Writes, and lets the connection read it, a body too.
  func deliver(_ bytes: [UInt8]) {
    write(bytes)
    connection.descriptorIsReady(for: .readable)
    connection.receiveBodyTurn(reads: 1)
  }

  /// Reads at most so many bytes of what is there.
  func read(upTo limit: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let outcome = buffer.withUnsafeMutableBytes { Socket.receive(descriptor, into: $0) }
    switch outcome {
    case .transferred(let count): return Array(buffer[..<count])
    case .ended, .failed:
      hasEnded = true
      return []
    case .wouldBlock: return []
    }
  }

  /// Reads all that is there.
  func readAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = read(upTo: 65_536)
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }

  /// Reads all that the connection wants to write, now and when there is room.
  func drain(_ driven: DrivenTransport) -> [UInt8] {
    var bytes: [UInt8] = []
    repeat {
      driven.settle()
      bytes += readAll()
      connection.descriptorIsReady(for: .writable)
    } while connection.queuedByteCount > 0
    return bytes + readAll()
  }

  /// Makes the kernel keep little of what the connection writes.
  func shrinkBuffer() {
    var size: Int32 = 4096
    let length = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(connection.descriptor, SOL_SOCKET, SO_SNDBUF, &size, length)
  }
}
