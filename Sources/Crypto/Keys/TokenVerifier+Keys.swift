package import Tokens

extension TokenVerifier {
  /// Accepts tokens that were signed with `secret` by HS256.
  ///
  /// - Throws: ``TokenKeyError/emptySecret``.
  package init(secret: [UInt8]) throws(TokenKeyError) {
    self.init(key: try SecretKey(secret))
  }

  /// Accepts tokens that were signed with the bytes of `secret` in UTF-8 by HS256.
  package init(secret: String) throws(TokenKeyError) {
    try self.init(secret: Array(secret.utf8))
  }

  /// Accepts tokens that were signed with the private key to the one in the file.
  ///
  /// - Parameter publicKeyPath: A PEM file ("BEGIN PUBLIC KEY") of at most 64 KiB: RSA from 2048
  ///   bits for RS256, P-256 for ES256, Ed25519 for EdDSA.
  package init(publicKeyPath: String) throws(TokenKeyError) {
    self.init(key: try PublicKey(path: publicKeyPath))
  }

  /// Accepts tokens that were signed with the private key to this one.
  ///
  /// - Parameter publicKeyPEM: As in ``init(publicKeyPath:)``.
  package init(publicKeyPEM: String) throws(TokenKeyError) {
    self.init(key: try PublicKey(pem: Array(publicKeyPEM.utf8)))
  }
}
