/// A lower-case ASCII name of at most sixteen bytes in one integer, for comparing without memory.
struct PackedName: Hashable, Sendable {
  private(set) var bits: UInt128 = 0
  private(set) var byteCount = 0

  init() {}

  init(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Whether more was appended than fits; such a name equals none that we look for.
  var isTooLong: Bool { byteCount > 16 }

  mutating func append(_ byte: UInt8) {
    guard byteCount <= 16 else { return }
    byteCount &+= 1
    bits = bits &<< 8 | UInt128(byte.asciiLowercased)
  }

  /// Whether `other` is this name, or this name and something more.
  func begins(_ other: PackedName) -> Bool {
    let missing = other.byteCount &- byteCount
    return missing >= 0 && other.bits >> (8 * missing) == bits
  }
}
