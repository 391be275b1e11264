import CZlib

/// A gzip stream (RFC 1952) whose parts are compressed independently.
///
/// Each part ends on a byte, so that the client can inflate it at once. The compressor is that of the
/// event loop: a stream keeps only its checksum.
package struct GzipParts {
  private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
  /// An empty stored block, with which zlib flushes, and which messages of WebSockets leave out.
  private static let flush: [UInt8] = [0x00, 0x00, 0xff, 0xff]
  private static let lastBlock: [UInt8] = [0x03, 0x00]

  private var checksum = UInt32(truncatingIfNeeded: crc32(0, nil, 0))
  private var byteCount: UInt32 = 0
  private var hasBegun = false

  /// Makes an empty stream.
  package init() {}

  /// Compresses a part, and returns its bytes.
  package mutating func compress(
    _ bytes: UnsafeRawBufferPointer, with workspace: DeflateWorkspace
  ) -> [UInt8] {
    guard let start = bytes.baseAddress, let size = UInt32(exactly: bytes.count) else { return [] }
    checksum = UInt32(
      truncatingIfNeeded: crc32(UInt(checksum), start.assumingMemoryBound(to: UInt8.self), size))
    byteCount &+= size
    var output = hasBegun ? [] : Self.header
    hasBegun = true
    workspace.compress(
      bytes.assumingMemoryBound(to: UInt8.self).span, windowBits: 15, into: &output)
    output += Self.flush
    return output
  }

  /// Ends the stream, and returns its last bytes.
  package mutating func end() -> [UInt8] {
    var output = hasBegun ? [] : Self.header
    output += Self.lastBlock
    for value in [checksum, byteCount] {
      withUnsafeBytes(of: value.littleEndian) { output.append(contentsOf: $0) }
    }
    return output
  }
}
