import CZlib

/// A DEFLATE compressor for messages (RFC 7692 §7.2.1).
///
/// Owns a `z_stream` at a fixed address, because zlib keeps a pointer back to it.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private let isReady: Bool

  /// Makes a compressor with a window of 2^`windowBits` bytes, 9...15.
  ///
  /// zlib cannot produce raw DEFLATE with a window of 256 bytes, so 8 is not possible.
  init(windowBits: Int, level: Int32, memoryLevel: Int32) {
    precondition((9...15).contains(windowBits), "zlib deflates with 9 to 15 window bits")
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = deflateInit2_(
      stream, level, Z_DEFLATED, -Int32(windowBits), memoryLevel, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    isReady = result == Z_OK
  }

  deinit {
    if isReady { deflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Discards the context of earlier messages.
  func reset() {
    if isReady { deflateReset(stream) }
  }

  /// Appends `payload` compressed up to a byte boundary, without the four bytes that end it there.
  ///
  /// - Parameter scratch: A buffer for output, of any size above 16 bytes.
  /// - Returns: `false` when zlib had no memory; `output` is then unchanged.
  func compress(
    _ payload: Span<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>, into output: inout [UInt8]
  ) -> Bool {
    guard isReady else { return false }
    // zlib has nothing to flush without input; an empty stored block is equivalent (§7.2.3.6).
    guard payload.count > 0 else {
      output.append(0)
      return true
    }
    let start = output.count
    payload.withUnsafeBufferPointer { run($0, scratch: scratch, into: &output) }
    guard output.count - start >= 4, output.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]) else {
      output.removeSubrange(start...)
      return false
    }
    output.removeLast(4)
    return true
  }

  private func run(
    _ payload: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>,
    into output: inout [UInt8]
  ) {
    var rest = payload[...]
    repeat {
      // `avail_in` has 32 bits; a payload may be longer.
      let piece = UnsafeBufferPointer(rebasing: rest.prefix(1 << 30))
      rest = rest.dropFirst(piece.count)
      stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
      stream.pointee.avail_in = UInt32(piece.count)
      let flush = rest.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH
      repeat {
        stream.pointee.next_out = scratch.baseAddress
        stream.pointee.avail_out = UInt32(scratch.count)
        deflate(stream, flush)
        let made = scratch.count - Int(stream.pointee.avail_out)
        output.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<made]))
      } while stream.pointee.avail_out == 0
    } while !rest.isEmpty
  }
}

/// The compressors of one event loop, shared by all its connections without contexts.
///
/// A compressor with a window of 32 KiB takes about 256 KiB, so it is created at first use and reused
/// for each message. Also lends scratch memory to the connections that have their own compressors.
package final class DeflateWorkspace {
  /// Level 6 is zlib's default balance of time and size.
  private static let level: Int32 = 6
  private static let scratchByteCount = 16 * 1024

  private var deflaters: [Int: Deflater] = [:]
  private lazy var inflater = Inflater(windowBits: 15)
  private let scratch: UnsafeMutableBufferPointer<UInt8>

  /// Makes a workspace without any compressor.
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
  /// - Returns: `false` when there was no memory; `output` is then unchanged.
  @discardableResult
  package func compress(
    _ payload: Span<UInt8>, windowBits: Int, into output: inout [UInt8]
  ) -> Bool {
    let deflater = deflaters[windowBits] ?? makeDeflater(windowBits: windowBits)
    deflater.reset()
    return deflater.compress(payload, scratch: scratch, into: &output)
  }

  /// Appends the inflated content of one message that refers to no other.
  ///
  /// - Parameter limit: The maximum number of bytes to append; a decompression bomb stops there.
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
