internal import COpenSSL
internal import ParleyProtocol

/// A public key in the role of one algorithm.
///
/// Sharing it between threads is safe: OpenSSL does not modify a key that verifies signatures.
struct PublicKey: VerificationKey {
  private let role: SignatureAlgorithm
  private let handle: KeyHandle

  private static let sizeLimit = 65_536

  var algorithm: String { role.rawValue }

  /// - Precondition: The key is of the kind that the algorithm needs.
  init(_ handle: KeyHandle, for algorithm: SignatureAlgorithm) {
    self.handle = handle
    role = algorithm
  }

  /// Reads a file.
  init(path: String) throws(TokenKeyError) {
    var contents: OpaquePointer?
    let code = copenssl_read_file(path, Self.sizeLimit, &contents)
    guard code == 0, let contents else { throw .unreadableFile(path: path, errno: code) }
    defer { BIO_free(contents) }
    try self.init(contents, path: path)
  }

  /// Parses a text in memory, which errors call "(inline)".
  init(pem: [UInt8]) throws(TokenKeyError) {
    guard pem.count <= Self.sizeLimit, let contents = MemoryBIO.make(copying: pem) else {
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
    handle = KeyHandle(owning: key)
    do throws(UnsupportedKey) {
      role = try KeyKind(key).algorithm
    } catch {
      throw .unsupportedKey(path: path, reason: error.reason)
    }
  }

  /// Whether `signature` is the private key's over `text`.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
    guard let signature = encoded(signature), let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    var options: OpaquePointer?
    guard EVP_DigestVerifyInit(context, &options, digest, nil, handle.key) == 1 else {
      return false
    }
    if role == .ps256 {
      // The salt has the size of the digest (RFC 7518 §3.5).
      guard EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1,
        EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
      else { return false }
    }
    return EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
  }

  /// The signature as OpenSSL reads it; `nil` for a wrong size.
  private func encoded(_ signature: [UInt8]) -> [UInt8]? {
    switch role {
    case .rs256, .rs384, .rs512, .ps256, .edDSA: signature
    case .es256: ECDSASignature.der(signature, size: 32)
    case .es384: ECDSASignature.der(signature, size: 48)
    }
  }

  /// `nil` for Ed25519, which hashes internally and requires that no digest is named.
  private var digest: OpaquePointer? {
    switch role {
    case .rs256, .ps256, .es256: EVP_sha256()
    case .rs384, .es384: EVP_sha384()
    case .rs512: EVP_sha512()
    case .edDSA: nil
    }
  }
}

/// A key of OpenSSL, freed with the last reference.
final class KeyHandle: Sendable {
  nonisolated(unsafe) let key: OpaquePointer

  init(owning key: OpaquePointer) { self.key = key }

  deinit { EVP_PKEY_free(key) }
}
