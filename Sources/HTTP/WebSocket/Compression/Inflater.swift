import CZlib

/// A DEFLATE decompressor for messages (RFC 7692 §7.2.2).
///
/// Owns a `z_stream` at a fixed address, because zlib keeps a pointer back to it.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private let isReady: Bool

  /// The bytes that end a flushed block, removed by the sender (§7.2.1).
  private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

  /// The maximum number of times that one message may end a stream and begin another.
  ///
  /// A restart copies the window, so a message that consists only of stream ends would be expensive for
  /// its size. Encoders end a stream at most once.
  private static let restartLimit = 8

  /// Makes a decompressor for windows of up to 2^`windowBits` bytes, 8...15.
  init(windowBits: Int) {
    precondition((8...15).contains(windowBits), "zlib inflates with 8 to 15 window bits")
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = inflateInit2_(
      stream, -Int32(windowBits), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    isReady = result == Z_OK
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Discards the context of earlier messages.
  func reset() {
    if isReady { inflateReset(stream) }
  }

  /// Appends the inflated content of one message's `payload`.
  ///
  /// The limit is checked after each piece of output, so a message that would inflate to gigabytes uses
  /// at most the limit and one piece.
  ///
  /// - Parameter limit: The maximum number of bytes to append.
  /// - Throws: ``WebSocketError/invalidCompression`` or ``WebSocketError/messageTooLarge(limit:)``.
  func decompress(
    _ payload: Span<UInt8>, limit: Int, scratch: UnsafeMutableBufferPointer<UInt8>,
    into output: inout [UInt8]
  ) throws(WebSocketError) {
    guard isReady else { throw .invalidCompression }
    guard payload.count > 0 else { return }
    var budget = limit
    var ended = try feed(payload, budget: &budget, limit: limit, scratch: scratch, into: &output)
    if !ended {
      ended = try feed(
        Self.tail.span, budget: &budget, limit: limit, scratch: scratch, into: &output)
      // Bit 7 means that zlib is between two blocks; otherwise the message was truncated within one.
      guard ended || stream.pointee.data_type & 0x80 != 0 else { throw .invalidCompression }
    }
    if ended { try restart() }
  }

  /// Inflates all of `bytes`, and continues after each block that is marked as the last (§7.2.3.4).
  ///
  /// - Returns: Whether the end of `bytes` is also the end of such a block.
  private func feed(
    _ bytes: Span<UInt8>, budget: inout Int, limit: Int,
    scratch: UnsafeMutableBufferPointer<UInt8>, into output: inout [UInt8]
  ) throws(WebSocketError) -> Bool {
    guard bytes.count <= Int(UInt32.max) else { throw .messageTooLarge(limit: limit) }
    var offset = 0
    var restarts = 0
    while true {
      let step = bytes.extracting(offset...).withUnsafeBufferPointer { inflate($0, into: scratch) }
      offset += step.consumed
      budget -= step.produced
      guard budget >= 0 else { throw .messageTooLarge(limit: limit) }
      output.append(contentsOf: UnsafeBufferPointer(rebasing: scratch[..<step.produced]))
      switch step.result {
      case Z_STREAM_END where offset == bytes.count: return true
      case Z_STREAM_END where restarts < Self.restartLimit:
        restarts += 1
        try restart()
      case Z_OK, Z_BUF_ERROR:
        if offset == bytes.count, step.produced < scratch.count { return false }
        guard step.consumed + step.produced > 0 else { throw .invalidCompression }
      default: throw .invalidCompression
      }
    }
  }

  private func inflate(
    _ bytes: UnsafeBufferPointer<UInt8>, into scratch: UnsafeMutableBufferPointer<UInt8>
  ) -> (result: Int32, consumed: Int, produced: Int) {
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
    stream.pointee.avail_in = UInt32(bytes.count)
    stream.pointee.next_out = scratch.baseAddress
    stream.pointee.avail_out = UInt32(scratch.count)
    let result = CZlib.inflate(stream, Z_SYNC_FLUSH)
    return (
      result, bytes.count - Int(stream.pointee.avail_in),
      scratch.count - Int(stream.pointee.avail_out)
    )
  }

  /// Begins a new DEFLATE stream that may still refer to earlier content.
  private func restart() throws(WebSocketError) {
    var length: UInt32 = 0
    guard inflateGetDictionary(stream, nil, &length) == Z_OK else { throw .invalidCompression }
    var window = [UInt8](repeating: 0, count: Int(length))
    guard inflateGetDictionary(stream, &window, &length) == Z_OK, inflateReset(stream) == Z_OK,
      length == 0 || inflateSetDictionary(stream, window, length) == Z_OK
    else { throw .invalidCompression }
  }
}
