package import TestSupport

/// A connection for bytes, plain or encrypted.
package protocol ByteStream: AnyObject {
  /// Waits for bytes; none at all say that the peer has ended the connection.
  ///
  /// - Throws: ``TestFailure`` when nothing came in time or the connection broke.
  func read(_ deadline: Deadline) throws -> [UInt8]

  /// Sends all of `bytes`.
  func write(_ bytes: [UInt8], _ deadline: Deadline) throws

  /// Gives the connection up.
  func close()
}

extension ByteStream {
  /// Reads until the peer has ended the connection, or broken it off.
  package func readToEnd(_ deadline: Deadline = .standard) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try read(deadline)
      guard !piece.isEmpty else { return bytes }
      bytes += piece
    }
  }
}
