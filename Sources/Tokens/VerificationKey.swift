/// A key that tokens are verified with; each stands for one algorithm (RFC 8725 §3.1).
package protocol VerificationKey: Sendable {
  /// The only value of `alg` that goes with the key.
  var algorithm: String { get }

  /// Whether `signature` is this key's over `text`.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool
}
