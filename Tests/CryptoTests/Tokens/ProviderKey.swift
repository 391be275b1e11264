import Basics
import COpenSSL
import ParleyProtocol
import Testing

@testable import Crypto

/// A key pair of a provider, which publishes its public half and signs by any algorithm.
final class ProviderKey {
  private let handle: OpaquePointer

  /// - Parameter parameter: Sets the size or the curve.
  init(_ name: String, _ parameter: (OpaquePointer) -> Void = { _ in }) throws {
    let context = try #require(EVP_PKEY_CTX_new_from_name(nil, name, nil))
    defer { EVP_PKEY_CTX_free(context) }
    EVP_PKEY_keygen_init(context)
    parameter(context)
    var key: OpaquePointer?
    EVP_PKEY_keygen(context, &key)
    handle = try #require(key)
  }

  deinit { EVP_PKEY_free(handle) }

  static func rsa(bits: Int32 = 2_048) throws -> ProviderKey {
    try ProviderKey("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, bits) }
  }

  static func curve(_ name: String) throws -> ProviderKey {
    try ProviderKey("EC") { EVP_PKEY_CTX_set_group_name($0, name) }
  }

  static func ed25519() throws -> ProviderKey { try ProviderKey("ED25519") }

  /// The members of the public key, with more members before them.
  func jwk(_ more: String = #""kid":"1""#) throws -> String {
    "{\(more),\(try members)}"
  }

  private var members: String {
    get throws {
      switch EVP_PKEY_get_base_id(handle) {
      case EVP_PKEY_RSA: #""kty":"RSA","n":"\#(try number("n"))","e":"\#(try number("e"))""#
      case EVP_PKEY_EC:
        try point()
      default: #""kty":"OKP","crv":"Ed25519","x":"\#(try octets("pub"))""#
      }
    }
  }

  private func point() throws -> String {
    let isLarge = EVP_PKEY_get_bits(handle) == 384
    let size = isLarge ? 48 : 32
    func coordinate(_ name: String) throws -> String {
      let bytes = try #require(Base64URL.decode(try number(name).utf8))
      return Base64URL.encode([UInt8](repeating: 0, count: size - bytes.count) + bytes)
    }
    let curve = isLarge ? "P-384" : "P-256"
    return
      #""kty":"EC","crv":"\#(curve)","x":"\#(try coordinate("qx"))","y":"\#(try coordinate("qy"))""#
  }

  private func number(_ name: String) throws -> String {
    var number: OpaquePointer?
    try #require(EVP_PKEY_get_bn_param(handle, name, &number) == 1)
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: 2_048)
    let count = Int(BN_bn2bin(number, &bytes))
    return Base64URL.encode(bytes.prefix(count))
  }

  private func octets(_ name: String) throws -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    var count = 0
    try #require(EVP_PKEY_get_octet_string_param(handle, name, &bytes, bytes.count, &count) == 1)
    return Base64URL.encode(bytes.prefix(count))
  }

  /// The public key as PEM.
  func pem() throws -> String {
    let memory = try #require(BIO_new(BIO_s_mem()))
    defer { BIO_free(memory) }
    try #require(PEM_write_bio_PUBKEY(memory, handle) == 1)
    var text = [UInt8](repeating: 0, count: 4_096)
    let count = BIO_read(memory, &text, 4_096)
    return String(decoding: text.prefix(Int(count)), as: UTF8.self)
  }

  /// Signs a token.
  ///
  /// - Parameter header: More members of the header, each after a comma.
  func token(
    _ payload: String, _ algorithm: SignatureAlgorithm, header: String = #","kid":"1""#
  ) throws -> String {
    let head = #"{"alg":"\#(algorithm.rawValue)"\#(header)}"#
    let text = [head, payload].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    return text + "." + Base64URL.encode(try sign(Array(text.utf8), algorithm))
  }

  private func sign(_ text: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
    let context = try #require(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    let digest: OpaquePointer? =
      switch algorithm {
      case .rs256, .ps256, .es256: EVP_sha256()
      case .rs384, .es384: EVP_sha384()
      case .rs512: EVP_sha512()
      case .edDSA: nil
      }
    var options: OpaquePointer?
    try #require(EVP_DigestSignInit(context, &options, digest, nil, handle) == 1)
    if algorithm == .ps256 {
      try #require(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1)
      try #require(EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1)
    }
    var signature = [UInt8](repeating: 0, count: 2_048)
    var count = signature.count
    try #require(EVP_DigestSign(context, &signature, &count, text, text.count) == 1)
    let bytes = Array(signature.prefix(count))
    switch algorithm {
    case .es256: return try numbers(bytes, size: 32)
    case .es384: return try numbers(bytes, size: 48)
    case .rs256, .rs384, .rs512, .ps256, .edDSA: return bytes
    }
  }

  private func numbers(_ der: [UInt8], size: Int) throws -> [UInt8] {
    let pair: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &start, bytes.count)
    }
    let signature = try #require(pair)
    defer { ECDSA_SIG_free(signature) }
    var (r, s) = ([UInt8](repeating: 0, count: size), [UInt8](repeating: 0, count: size))
    BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, Int32(size))
    BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, Int32(size))
    return r + s
  }
}
