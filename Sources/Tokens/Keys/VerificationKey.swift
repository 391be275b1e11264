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
      guard let code = HMACSHA256.code(of: text, under: secret) else { return false }
      return ConstantTime.areEqual(code, signature)
    case .publicKey(let key):
      return key.signed(text, as: signature)
    }
  }
}
