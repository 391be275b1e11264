import COpenSSL
import Testing

/// A certificate with its key, made on the spot.
final class Certificate {
  let certificate: OpaquePointer
  let key: OpaquePointer

  /// - Parameters:
  ///   - names: Subject alternative names such as `DNS:localhost` or `IP:127.0.0.1`; empty for an
  ///     authority.
  ///   - commonName: That of the subject; with it and without names, the certificate is a server's.
  ///   - issuer: Who signs it; itself when `nil`.
  ///   - lifetime: Seconds from now, first and last.
  init(
    names: [String], commonName: String? = nil, issuer: Certificate? = nil,
    lifetime: ClosedRange<Int> = -60...86_400
  ) throws {
    key = try Self.makeKey()
    certificate = try #require(X509_new())
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), lifetime.lowerBound)
    X509_gmtime_adj(X509_getm_notAfter(certificate), lifetime.upperBound)
    X509_set_pubkey(certificate, key)
    let subject = X509_get_subject_name(certificate)
    let name = commonName ?? (names.isEmpty ? "Test Authority" : "Test Server")
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0)
    X509_set_issuer_name(
      certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
    if names.isEmpty, commonName == nil {
      try addExtension(NID_basic_constraints, "critical,CA:TRUE")
    } else if !names.isEmpty {
      try addExtension(NID_subject_alt_name, names.joined(separator: ","))
    }
    try #require(X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0)
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  private func addExtension(_ kind: Int32, _ value: String) throws {
    let item = try #require(X509V3_EXT_conf_nid(nil, nil, kind, value))
    X509_add_ext(certificate, item, -1)
    X509_EXTENSION_free(item)
  }

  private static func makeKey() throws -> OpaquePointer {
    let context = try #require(EVP_PKEY_CTX_new_from_name(nil, "EC", nil))
    defer { EVP_PKEY_CTX_free(context) }
    EVP_PKEY_keygen_init(context)
    EVP_PKEY_CTX_set_group_name(context, "P-256")
    var key: OpaquePointer?
    EVP_PKEY_keygen(context, &key)
    return try #require(key)
  }

  /// Writes the certificate, and those that follow it, in PEM form.
  func writeCertificate(to path: String, chain: [Certificate] = []) throws {
    let file = try #require(BIO_new_file(path, "w"))
    defer { BIO_free(file) }
    for link in [self] + chain {
      try #require(PEM_write_bio_X509(file, link.certificate) == 1)
    }
  }

  /// Writes the private key in PEM form.
  func writeKey(to path: String) throws {
    let file = try #require(BIO_new_file(path, "w"))
    defer { BIO_free(file) }
    try #require(PEM_write_bio_PrivateKey(file, key, nil, nil, 0, nil, nil) == 1)
  }

  /// Writes the private key in PEM form under a passphrase.
  func writeEncryptedKey(to path: String) throws {
    let file = try #require(BIO_new_file(path, "w"))
    defer { BIO_free(file) }
    var passphrase = Array("secret".utf8)
    let length = Int32(passphrase.count)
    try #require(
      PEM_write_bio_PrivateKey(file, key, EVP_aes_128_cbc(), &passphrase, length, nil, nil) == 1)
  }
}
