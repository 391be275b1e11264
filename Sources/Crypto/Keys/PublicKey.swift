internal import COpenSSL
internal import ParleyProtocol

/// A public key from a PEM text.
///
/// Sharing it between threads is safe: OpenSSL does not modify a key that verifies signatures.
final class PublicKey: VerificationKey {
  var algorithm: String { kind.algorithm }
  let kind: Kind
  nonisolated(unsafe) private let handle: OpaquePointer

  /// The kinds of key that tokens may be signed with.
  enum Kind {
    case rsa
    case p256
    case ed25519

    /// The signature algorithm (RFC 7518 §3.1, RFC 8037 §3.1).
    var algorithm: String {
      switch self {
      case .rsa: "RS256"
      case .p256: "ES256"
      case .ed25519: "EdDSA"
      }
    }
  }

  private static let sizeLimit = 65_536

  /// Reads a file.
  convenience init(path: String) throws(TokenKeyError) {
    var contents: OpaquePointer?
    let code = copenssl_read_file(path, Self.sizeLimit, &contents)
    guard code == 0, let contents else { throw .unreadableFile(path: path, errno: code) }
    defer { BIO_free(contents) }
    try self.init(contents, path: path)
  }

  /// Parses a text in memory, which errors call "(inline)".
  convenience init(pem: [UInt8]) throws(TokenKeyError) {
    guard pem.count <= Self.sizeLimit, let contents = BIO_new_mem_buf(pem, Int32(pem.count)) else {
      throw .noPublicKey(path: "(inline)")
    }
    defer { BIO_free(contents) }
    try self.init(contents, path: "(inline)")
  }

  private init(_ contents: OpaquePointer, path: String) throws(TokenKeyError) {
    defer { ERR_clear_error() }
    guard let key = PEM_read_bio_PUBKEY(contents, nil, nil, nil) else {
      throw .noPublicKey(path: path)
    }
    do throws(UnsupportedKey) {
      kind = try Self.kind(of: key)
    } catch {
      EVP_PKEY_free(key)
      throw .unsupportedKey(path: path, reason: error.reason)
    }
    handle = key
  }

  deinit {
    EVP_PKEY_free(handle)
  }

  private struct UnsupportedKey: Error {
    let reason: String
  }

  private static func kind(of key: OpaquePointer) throws(UnsupportedKey) -> Kind {
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_RSA:
      // RFC 7518 §3.3 requires this size.
      guard EVP_PKEY_get_bits(key) >= 2048 else {
        throw UnsupportedKey(reason: "an RSA key must have at least 2048 bits")
      }
      return .rsa
    case EVP_PKEY_EC:
      guard group(of: key) == "prime256v1" else {
        throw UnsupportedKey(reason: "an EC key must be on the curve P-256")
      }
      return .p256
    case EVP_PKEY_ED25519:
      return .ed25519
    default:
      throw UnsupportedKey(reason: "the key must be RSA, EC (P-256) or Ed25519")
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

  /// Whether `signature` is the private key's over `text`.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
    guard let signature = kind == .p256 ? Self.encodeECDSA(signature) : signature,
      let context = EVP_MD_CTX_new()
    else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    // Ed25519 hashes internally and requires that no digest is named.
    let digest = kind == .ed25519 ? nil : EVP_sha256()
    guard EVP_DigestVerifyInit(context, nil, digest, nil, handle) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
  }

  /// Converts the two concatenated numbers of a JWS (RFC 7518 §3.4) to the DER that OpenSSL expects.
  private static func encodeECDSA(_ signature: [UInt8]) -> [UInt8]? {
    guard signature.count == 64, let pair = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(pair) }
    guard let r = BN_bin2bn(Array(signature[..<32]), 32, nil) else { return nil }
    guard let s = BN_bin2bn(Array(signature[32...]), 32, nil) else {
      BN_free(r)
      return nil
    }
    guard ECDSA_SIG_set0(pair, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    var der: UnsafeMutablePointer<UInt8>?
    let count = i2d_ECDSA_SIG(pair, &der)
    guard count > 0, let der else { return nil }
    defer { CRYPTO_free(der, nil, 0) }
    return Array(UnsafeBufferPointer(start: der, count: Int(count)))
  }
}
