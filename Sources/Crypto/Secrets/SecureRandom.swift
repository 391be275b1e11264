internal import Basics
internal import COpenSSL

/// Unpredictable random bytes for tokens and identifiers.
///
/// Usable from any thread.
package enum SecureRandom {
  /// Returns `count` random bytes.
  ///
  /// - Precondition: The system provides randomness. Continuing without it would issue guessable tokens,
  ///   so the process ends, as it does when Swift's own generator fails.
  package static func bytes(count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    precondition(
      Int32(exactly: count).map { RAND_bytes(&bytes, $0) } == 1, "the system has no random bytes")
    return bytes
  }

  /// Returns `byteCount` random bytes as twice as many lower-case hexadecimal digits.
  package static func hex(byteCount: Int) -> String {
    Hexadecimal.encode(bytes(count: byteCount))
  }

  /// Returns `byteCount` random bytes in base64url, 4 characters for each 3 bytes.
  ///
  /// The first character is never a hyphen, which would start an option on a command line.
  package static func base64URL(byteCount: Int) -> String {
    var bytes = bytes(count: byteCount)
    while let first = bytes.first, first >> 2 == hyphen { bytes[0] = Self.bytes(count: 1)[0] }
    return Base64URL.encode(bytes)
  }

  /// The value of the hyphen in base64url (RFC 4648, section 5).
  private static let hyphen: UInt8 = 62
}
