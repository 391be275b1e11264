internal import Basics
internal import COpenSSL

/// The SHA-256 of an access or API token (FIPS 180-4), which is stored instead of the token.
///
/// The tokens are random and long, so a plain hash is enough; passwords would need a slow one.
/// The time of a comparison does not depend on where two digests differ.
package struct TokenDigest: Equatable, Sendable {
  /// 32 bytes.
  package let bytes: [UInt8]

  /// Hashes a token's bytes in UTF-8.
  package init(of token: String) {
    self.init(of: Array(token.utf8))
  }

  /// Hashes bytes.
  ///
  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  package init(of message: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: 32)
    precondition(
      SHA256(message, message.count, &digest) != nil, "OpenSSL has no memory for a digest")
    bytes = digest
  }

  /// Creates a digest from a stored value, or returns `nil` unless it has 32 bytes.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The digest as 64 lower-case hexadecimal digits.
  package var hex: String {
    Hexadecimal.encode(bytes)
  }

  /// Compares in constant time.
  package static func == (left: TokenDigest, right: TokenDigest) -> Bool {
    ConstantTime.areEqual(left.bytes, right.bytes)
  }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
  /// The 32 bytes that prove knowledge of `secret` and that `text` is unchanged, or `nil` when OpenSSL
  /// is out of memory.
  package static func code(of text: [UInt8], under secret: [UInt8]) -> [UInt8]? {
    guard let secretSize = Int32(exactly: secret.count) else { return nil }
    var code = [UInt8](repeating: 0, count: 32)
    var size: UInt32 = 0
    let result = HMAC(EVP_sha256(), secret, secretSize, text, text.count, &code, &size)
    return result != nil && size == 32 ? code : nil
  }
}

/// A comparison whose duration does not reveal where two secrets differ.
package enum ConstantTime {
  /// Whether both contain the same bytes; the time taken depends only on their lengths.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// Whether both contain the same bytes in UTF-8.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    areEqual(Array(left.utf8), Array(right.utf8))
  }
}
