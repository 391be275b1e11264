/// Masking and unmasking, which are the same operation (RFC 6455 §5.3).
enum Masking {
  /// Appends `bytes` masked with `key`.
  ///
  /// Copies first and masks the copy while it is in the cache: growing an array in place is faster than
  /// a second buffer, and a payload that arrives at once costs exactly one allocation.
  static func append(_ bytes: Span<UInt8>, maskedWith key: MaskingKey, to result: inout [UInt8]) {
    let start = result.count
    bytes.withUnsafeBufferPointer { result.append(contentsOf: $0) }
    guard key.word != 0 else { return }
    result.withUnsafeMutableBytes {
      mask(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), with: key)
    }
  }

  /// Masks in place, in steps of 16, 8 and 1 bytes.
  ///
  /// Every access is within `bytes`: each loop runs only while a whole step is left. The property tests
  /// compare the result with masking one byte at a time. Not inlined, because the compiler optimizes the
  /// loops better in a separate function.
  @inline(never)
  private static func mask(_ bytes: UnsafeMutableRawBufferPointer, with key: MaskingKey) {
    let word = key.word.bigEndian
    let wide = SIMD4<UInt32>(repeating: word)
    var index = 0
    while index + 16 <= bytes.count {
      let masked = bytes.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt32>.self) ^ wide
      bytes.storeBytes(of: masked, toByteOffset: index, as: SIMD4<UInt32>.self)
      index += 16
    }
    let double = UInt64(word) << 32 | UInt64(word)
    if index + 8 <= bytes.count {
      let masked = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ double
      bytes.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
      index += 8
    }
    var rest = key.word
    while index < bytes.count {
      bytes[index] ^= UInt8(truncatingIfNeeded: rest >> 24)
      rest = rest << 8 | rest >> 24
      index += 1
    }
  }
}

/// The key of a masked payload (RFC 6455 §5.3), rotated so that its first byte is the next to use.
package struct MaskingKey: Sendable, Hashable {
  /// The four bytes; the next one to use is the most significant.
  package let word: UInt32

  /// Makes a key from its four bytes in wire order, read as a big-endian number.
  package init(_ word: UInt32) {
    self.word = word
  }

  /// The key for the bytes after the first `byteCount`.
  package func advanced(by byteCount: Int) -> MaskingKey {
    let bits = UInt32(truncatingIfNeeded: byteCount & 3) * 8
    return bits == 0 ? self : MaskingKey(word << bits | word >> (32 - bits))
  }
}
