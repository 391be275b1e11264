internal import COpenSSL

/// A digest of bytes that are added piece by piece.
///
/// Confined to one thread at a time.
package final class RunningDigest {
  package enum Algorithm: Sendable, Hashable {
    case sha1
    case sha256
  }

  private let context: OpaquePointer

  package init(_ algorithm: Algorithm) {
    guard let context = EVP_MD_CTX_new() else {
      preconditionFailure("OpenSSL has no memory for a digest")
    }
    self.context = context
    let method =
      switch algorithm {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      }
    precondition(EVP_DigestInit_ex(context, method, nil) == 1, "OpenSSL cannot begin a digest")
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  package func add(_ bytes: [UInt8]) {
    precondition(
      EVP_DigestUpdate(context, bytes, bytes.count) == 1, "OpenSSL cannot go on with a digest")
  }

  /// The digest of all bytes; no more may be added.
  package func end() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    precondition(EVP_DigestFinal_ex(context, &digest, &count) == 1, "OpenSSL cannot end a digest")
    return Array(digest.prefix(Int(count)))
  }
}
