/// A text with a fingerprint of its bytes, by which it is compared and hashed.
///
/// Strings are compared and hashed by canonical equivalence. For long texts that takes milliseconds where
/// they are not ASCII, and it makes one text of several that a service may translate differently.
///
/// The fingerprint is made once for all languages of a text. Its key is another in each process, so nobody can
/// write two texts with the same one.
package struct SourceText: Hashable, Sendable {
  package let text: String
  // 128 bits: no two texts have the same.
  private let first: Int
  private let second: Int

  package init(_ text: String) {
    self.text = text
    var (first, second) = (Hasher(), Hasher())
    // The halves are hashes of two texts, which differ in their first byte.
    first.combine(UInt8(1))
    second.combine(UInt8(2))
    var contiguous = text
    contiguous.withUTF8 { bytes in
      first.combine(bytes: UnsafeRawBufferPointer(bytes))
      second.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    self.first = first.finalize()
    self.second = second.finalize()
  }

  package static func == (one: SourceText, other: SourceText) -> Bool {
    one.first == other.first && one.second == other.second
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(first) }
}
