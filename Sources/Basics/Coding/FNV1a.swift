/// FNV-1a with 64 bits: a hash that is the same in every process and version.
///
/// It distributes short names well. It does not protect against names chosen to collide.
package struct FNV1a: Sendable {
  /// The hash of the bytes so far.
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  package init() {}

  /// Hashes the UTF-8 of a text.
  package static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a()
    for byte in text.utf8 { hash.append(byte) }
    return hash.value
  }

  package mutating func append(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0100_0000_01b3
  }

  /// Appends the eight bytes of a number, the least significant first.
  package mutating func append(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
