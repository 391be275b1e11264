internal import Basics

/// A secret of 256 bits that encrypts and decrypts.
///
/// Printing one does not reveal it.
package struct SymmetricKey: Sendable {
  /// The length of a key in bytes.
  package static let byteCount = 32

  /// 32 bytes.
  package let bytes: [UInt8]

  /// Generates an unpredictable key.
  package init() {
    bytes = SecureRandom.bytes(count: Self.byteCount)
  }

  /// Creates a key from 32 bytes, or returns `nil` for any other number.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Derives the key for one purpose, which reveals nothing of this one (HMAC-SHA-256 over the purpose).
  ///
  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  package func derived(for purpose: String) -> SymmetricKey {
    guard let code = HMACSHA256.code(of: Array(purpose.utf8), under: bytes),
      let key = SymmetricKey(code)
    else { preconditionFailure("OpenSSL has no memory for a key") }
    return key
  }
}

extension SymmetricKey: Equatable {
  /// Compares in constant time.
  package static func == (left: SymmetricKey, right: SymmetricKey) -> Bool {
    ConstantTime.areEqual(left.bytes, right.bytes)
  }
}

extension SymmetricKey: CustomStringConvertible, CustomDebugStringConvertible {
  package var description: String { "a symmetric key" }
  package var debugDescription: String { description }
}
