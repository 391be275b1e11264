/// The compressors of one event loop, shared by all its connections that keep no context.
///
/// A compressor with a window of 32 KiB takes about 256 KiB, so it is made at first use and reused
/// for each message. Also lends scratch memory to the connections that have their own.
package final class DeflateWorkspace {
  /// Level 6 is zlib's own balance of time and size.
  private static let level: Int32 = 6
  private static let scratchByteCount = 16 * 1024

  private var deflaters: [Int: Deflater] = [:]
  private lazy var inflater = Inflater(windowBits: 15)
  private let scratch: UnsafeMutableBufferPointer<UInt8>

  /// Makes a workspace that holds no compressor yet.
  package init() {
    scratch = .allocate(capacity: Self.scratchByteCount)
    scratch.initialize(repeating: 0)
  }

  deinit {
    scratch.deallocate()
  }

  /// Appends `payload` compressed as one message that refers to no other (RFC 7692 §7.2.1).
  ///
  /// - Parameter windowBits: The base-2 logarithm of the window, 9...15.
  /// - Returns: `false` when there was no memory for it; `output` is then as before.
  @discardableResult
  package func compress(
    _ payload: Span<UInt8>, windowBits: Int, into output: inout [UInt8]
  ) -> Bool {
    let deflater = deflaters[windowBits] ?? makeDeflater(windowBits: windowBits)
    deflater.reset()
    return deflater.compress(payload, scratch: scratch, into: &output)
  }

  /// Appends what one message that refers to no other inflates to.
  ///
  /// - Parameter limit: The most bytes to append; a bomb stops there.
  /// - Throws: ``WebSocketError/invalidCompression`` or ``WebSocketError/messageTooLarge(limit:)``.
  package func decompress(
    _ payload: Span<UInt8>, limit: Int, into output: inout [UInt8]
  ) throws(WebSocketError) {
    inflater.reset()
    try inflater.decompress(payload, limit: limit, scratch: scratch, into: &output)
  }

  /// Compresses with a connection's own context.
  func compress(
    _ payload: Span<UInt8>, with deflater: Deflater, into output: inout [UInt8]
  ) -> Bool {
    deflater.compress(payload, scratch: scratch, into: &output)
  }

  /// Decompresses with a connection's own context.
  func decompress(
    _ payload: Span<UInt8>, with inflater: Inflater, limit: Int, into output: inout [UInt8]
  ) throws(WebSocketError) {
    try inflater.decompress(payload, limit: limit, scratch: scratch, into: &output)
  }

  /// Makes a compressor for one connection, with as little memory as its window needs.
  static func makeOwnDeflater(windowBits: Int) -> Deflater {
    Deflater(windowBits: windowBits, level: level, memoryLevel: Int32(min(8, windowBits - 7)))
  }

  private func makeDeflater(windowBits: Int) -> Deflater {
    let deflater = Deflater(windowBits: windowBits, level: Self.level, memoryLevel: 8)
    deflaters[windowBits] = deflater
    return deflater
  }
}
