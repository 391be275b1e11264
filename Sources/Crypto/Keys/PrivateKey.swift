internal import COpenSSL
internal import ParleyProtocol

/// A private key from a PEM text, which signs by ES256 or RS256.
///
/// Sharing it between threads is safe: OpenSSL does not modify a key that signs.
package final class PrivateKey: SigningKey {
  package let algorithm: String
  private let kind: KeyKind
  nonisolated(unsafe) private let handle: OpaquePointer

  private static let sizeLimit = 65_536
  /// The size of an uncompressed point of the curve P-256.
  private static let pointByteCount = 65

  /// Reads a file.
  package convenience init(path: String) throws(TokenKeyError) {
    var contents: OpaquePointer?
    let code = copenssl_read_file(path, Self.sizeLimit, &contents)
    guard code == 0, let contents else { throw .unreadableFile(path: path, errno: code) }
    defer { BIO_free(contents) }
    try self.init(contents, path: path)
  }

  /// Parses a text in memory.
  ///
  /// - Parameter source: The name of the text in errors.
  package convenience init(pem: String, from source: String) throws(TokenKeyError) {
    let bytes = Array(pem.utf8)
    guard bytes.count <= Self.sizeLimit, let contents = MemoryBIO.make(copying: bytes) else {
      throw .noPrivateKey(path: source)
    }
    defer { BIO_free(contents) }
    try self.init(contents, path: source)
  }

  /// Generates a key on the curve P-256.
  ///
  /// - Precondition: The system provides randomness, and memory is available.
  package static func generateP256() -> PrivateKey {
    guard let handle = copenssl_generate_p256() else {
      preconditionFailure("OpenSSL cannot generate a key")
    }
    return PrivateKey(handle, .p256)
  }

  private convenience init(_ contents: OpaquePointer, path: String) throws(TokenKeyError) {
    defer { ERR_clear_error() }
    guard let key = copenssl_read_private_key(contents) else { throw .noPrivateKey(path: path) }
    do throws(UnsupportedKey) {
      self.init(key, try KeyKind(key))
    } catch {
      EVP_PKEY_free(key)
      throw .unsupportedKey(path: path, reason: error.reason)
    }
  }

  private init(_ handle: OpaquePointer, _ kind: KeyKind) {
    self.handle = handle
    self.kind = kind
    algorithm = kind.algorithm.rawValue
  }

  deinit {
    EVP_PKEY_free(handle)
  }

  package func signature(of text: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    // Ed25519 hashes internally and requires that no digest is named.
    let digest = kind == .ed25519 ? nil : EVP_sha256()
    var count = 0
    guard EVP_DigestSignInit(context, nil, digest, nil, handle) == 1,
      EVP_DigestSign(context, nil, &count, text, text.count) == 1
    else { return nil }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, text, text.count) == 1 else { return nil }
    let bytes = Array(signature.prefix(count))
    return kind == .p256 ? ECDSASignature.numbers(der: bytes) : bytes
  }

  /// The public key as an uncompressed point of 65 bytes; `nil` unless the key is on the curve P-256.
  package var publicPoint: [UInt8]? {
    guard kind == .p256 else { return nil }
    var point = [UInt8](repeating: 0, count: Self.pointByteCount)
    var count = 0
    let outcome = EVP_PKEY_get_octet_string_param(handle, "pub", &point, point.count, &count)
    return outcome == 1 && count == point.count && point[0] == 4 ? point : nil
  }

  /// The key in PEM form (PKCS #8), not encrypted.
  ///
  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  package var pem: String {
    guard let output = BIO_new(BIO_s_mem()) else {
      preconditionFailure("OpenSSL has no memory for a key")
    }
    defer { BIO_free(output) }
    precondition(PEM_write_bio_PKCS8PrivateKey(output, handle, nil, nil, 0, nil, nil) == 1)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = BIO_read(output, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }
}
