import Crypto

/// A token that is told once; what is kept is its hash.
struct IssuedSecret: Sendable {
  let text: String

  init() {
    text = SecureRandom.hex(byteCount: 20)
  }

  /// What the store keeps.
  var digest: [UInt8] { TokenDigest(of: text).bytes }
}
