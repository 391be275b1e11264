internal import COpenSSL

/// What tokens are verified with; each kind of key stands for one algorithm (RFC 8725 §3.1).
enum VerificationKey: Sendable {
  case secret([UInt8])
  case publicKey(PublicKey)

  /// The only value of `alg` that goes with the key.
  var algorithm: String {
    switch self {
    case .secret: "HS256"
    case .publicKey(let key): key.kind.algorithm
    }
  }

  /// Whether `signature` is this key's over `text`.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
    switch self {
    case .secret(let secret):
      guard let code = Self.authenticationCode(of: text, under: secret) else { return false }
      return ConstantTime.areEqual(code, signature)
    case .publicKey(let key):
      return key.signed(text, as: signature)
    }
  }

  /// HMAC with SHA-256 (RFC 2104), or `nil` when OpenSSL has no memory for it.
  static func authenticationCode(of text: [UInt8], under secret: [UInt8]) -> [UInt8]? {
    guard let secretSize = Int32(exactly: secret.count) else { return nil }
    var code = [UInt8](repeating: 0, count: 32)
    var size: UInt32 = 0
    let result = HMAC(EVP_sha256(), secret, secretSize, text, text.count, &code, &size)
    return result != nil && size == 32 ? code : nil
  }
}
