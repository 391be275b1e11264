internal import Glibc

/// Why a key for verifying tokens cannot be used.
package enum TokenKeyError: Error, Equatable, Sendable {
  /// The secret has no bytes.
  case emptySecret
  /// The system refused to open or read the file, with the `errno`.
  case unreadableFile(path: String, errno: Int32)
  /// There is no PEM public key.
  case noPublicKey(path: String)
  /// The key is of a kind or size that is not accepted; the text says what is.
  case unsupportedKey(path: String, reason: String)
}

extension TokenKeyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .emptySecret: "the secret is empty"
    case .unreadableFile(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .noPublicKey(let path): "\(path): contains no public key in PEM form"
    case .unsupportedKey(let path, let reason): "\(path): \(reason)"
    }
  }
}
