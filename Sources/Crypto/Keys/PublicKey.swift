internal import COpenSSL
internal import ParleyProtocol

/// A public key from a PEM text.
///
/// Sharing it between threads is safe: OpenSSL does not modify a key that verifies signatures.
final class PublicKey: VerificationKey {
  var algorithm: String { kind.algorithm }
  private let kind: KeyKind
  nonisolated(unsafe) private let handle: OpaquePointer

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
    do throws(UnsupportedKey) {
      kind = try KeyKind(key)
    } catch {
      EVP_PKEY_free(key)
      throw .unsupportedKey(path: path, reason: error.reason)
    }
    handle = key
  }

  deinit {
    EVP_PKEY_free(handle)
  }

  /// Whether `signature` is the private key's over `text`.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
    guard let signature = kind == .p256 ? ECDSASignature.der(signature) : signature,
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
}
