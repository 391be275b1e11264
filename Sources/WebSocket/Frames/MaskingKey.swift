/// The key of a masked payload (RFC 6455 §5.3), turned so that its first byte is the next to use.
package struct MaskingKey: Sendable, Hashable {
  /// The four bytes, the next to use the most significant.
  package let word: UInt32

  /// Makes a key from its four bytes in the order of the wire, read as a big-endian number.
  package init(_ word: UInt32) {
    self.word = word
  }

  /// The key for what follows after `byteCount` bytes.
  package func advanced(by byteCount: Int) -> MaskingKey {
    let bits = UInt32(truncatingIfNeeded: byteCount & 3) * 8
    return bits == 0 ? self : MaskingKey(word << bits | word >> (32 - bits))
  }
}
