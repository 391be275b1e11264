internal import COpenSSL

/// Comparison whose duration does not reveal the place where two secrets differ.
package enum ConstantTime {
  /// Whether both hold the same bytes; only their lengths show in the time taken.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  /// Whether both hold the same bytes in UTF-8.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    areEqual(Array(left.utf8), Array(right.utf8))
  }
}
