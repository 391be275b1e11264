internal import COpenSSL
internal import ParleyProtocol

/// The kinds of key that tokens may be signed with.
enum KeyKind {
  case rsa
  case p256
  case ed25519

  /// The signature algorithm of a key in a file, which names none.
  var algorithm: SignatureAlgorithm {
    switch self {
    case .rsa: .rs256
    case .p256: .es256
    case .ed25519: .edDSA
    }
  }

  /// Recognizes a key of OpenSSL.
  init(_ key: OpaquePointer) throws(UnsupportedKey) {
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_RSA:
      // RFC 7518 §3.3 requires this size.
      guard EVP_PKEY_get_bits(key) >= 2048 else {
        throw UnsupportedKey(reason: "an RSA key must have at least 2048 bits")
      }
      self = .rsa
    case EVP_PKEY_EC:
      guard Self.group(of: key) == "prime256v1" else {
        throw UnsupportedKey(reason: "an EC key must be on the curve P-256")
      }
      self = .p256
    case EVP_PKEY_ED25519: self = .ed25519
    default: throw UnsupportedKey(reason: "the key must be RSA, EC (P-256) or Ed25519")
    }
  }

  private static func group(of key: OpaquePointer) -> String? {
    var name = [UInt8](repeating: 0, count: 64)
    var length = 0
    let outcome = name.withUnsafeMutableBytes {
      EVP_PKEY_get_group_name(
        key, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, &length)
    }
    guard outcome == 1 else { return nil }
    return String(decoding: name.prefix(length), as: UTF8.self)
  }
}

/// A key of a kind or size that is not accepted; the reason states which are.
struct UnsupportedKey: Error {
  let reason: String
}
