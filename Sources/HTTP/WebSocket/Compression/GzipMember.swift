import CZlib

/// Members of gzip files (RFC 1952), each of which can be read by itself.
///
/// A file of several members, one after another, has the contents of all of them.
package enum GzipMember {
  /// zlib's number for a window of 32 KiB with the header and the trailer of gzip.
  private static let windowBits: Int32 = 15 + 16
  /// Much faster than zlib's default of 6, and some percent larger.
  private static let level: Int32 = 3

  /// Compresses some bytes as one member.
  ///
  /// - Parameter content: Less than 1 GiB.
  /// - Returns: `nil` when there was no memory.
  package static func compress(_ content: [UInt8]) -> [UInt8]? {
    // At a fixed address, because zlib keeps a pointer back to it.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer {
      stream.deinitialize(count: 1)
      stream.deallocate()
    }
    guard
      deflateInit2_(
        stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(stream) }
    // The bound leaves room for the whole member, so one call is enough.
    let capacity = Int(deflateBound(stream, UInt(content.count)))
    let member = content.withUnsafeBufferPointer { input in
      [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(capacity)
        let isComplete = deflate(stream, Z_FINISH) == Z_STREAM_END
        count = isComplete ? capacity - Int(stream.pointee.avail_out) : 0
      }
    }
    return member.isEmpty ? nil : member
  }
}
