internal import Glibc
package import ParleyProtocol

extension TokenVerifier {
  /// Accepts tokens signed with `secret` by HS256.
  ///
  /// - Throws: ``TokenKeyError/emptySecret``.
  package init(secret: [UInt8]) throws(TokenKeyError) {
    self.init(key: try SecretKey(secret))
  }

  /// Accepts tokens signed with the bytes of `secret` in UTF-8 by HS256.
  package init(secret: String) throws(TokenKeyError) {
    try self.init(secret: Array(secret.utf8))
  }

  /// Accepts tokens signed with the private key that matches the public key in the file.
  ///
  /// - Parameter publicKeyPath: A PEM file ("BEGIN PUBLIC KEY") of at most 64 KiB: RSA from 2048
  ///   bits for RS256, P-256 for ES256, Ed25519 for EdDSA.
  package init(publicKeyPath: String) throws(TokenKeyError) {
    self.init(key: try PublicKey(path: publicKeyPath))
  }

  /// Accepts tokens signed with the private key that matches this public key.
  ///
  /// - Parameter publicKeyPEM: As in ``init(publicKeyPath:)``.
  package init(publicKeyPEM: String) throws(TokenKeyError) {
    self.init(key: try PublicKey(pem: Array(publicKeyPEM.utf8)))
  }
}

/// A secret for tokens signed by HS256 (RFC 7518 §3.2).
package struct SecretKey: VerificationKey {
  private let bytes: [UInt8]

  package var algorithm: String { "HS256" }

  /// - Throws: ``TokenKeyError/emptySecret``.
  package init(_ bytes: [UInt8]) throws(TokenKeyError) {
    guard !bytes.isEmpty else { throw .emptySecret }
    self.bytes = bytes
  }

  package func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
    guard let code = HMACSHA256.code(of: text, under: bytes) else { return false }
    return ConstantTime.areEqual(code, signature)
  }
}

/// The reason why a key for tokens cannot be used.
package enum TokenKeyError: Error, Equatable, Sendable {
  /// The secret has no bytes.
  case emptySecret
  /// The system refused to open or read the file, with the `errno`.
  case unreadableFile(path: String, errno: Int32)
  /// The text contains no PEM public key.
  case noPublicKey(path: String)
  /// The text contains no PEM private key, or an encrypted one.
  case noPrivateKey(path: String)
  /// The kind or size of the key is not accepted; the text states which are.
  case unsupportedKey(path: String, reason: String)
}

extension TokenKeyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .emptySecret: "the secret is empty"
    case .unreadableFile(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .noPublicKey(let path): "\(path): contains no public key in PEM form"
    case .noPrivateKey(let path): "\(path): contains no unencrypted private key in PEM form"
    case .unsupportedKey(let path, let reason): "\(path): \(reason)"
    }
  }
}
