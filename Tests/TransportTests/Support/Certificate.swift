import COpenSSL
import Foundation
import TLS
import Testing
import Transport

/// A certificate for `localhost` that signs itself, in a directory that lives as long as this.
final class Certificate {
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("parley-transport-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let key = try Self.makeKey()
    defer { EVP_PKEY_free(key) }
    let certificate = try Self.makeCertificate(key)
    defer { X509_free(certificate) }
    let keyFile = try #require(BIO_new_file(path("key.pem"), "w"))
    defer { BIO_free(keyFile) }
    try #require(PEM_write_bio_PrivateKey(keyFile, key, nil, nil, 0, nil, nil) == 1)
    let file = try #require(BIO_new_file(path("certificate.pem"), "w"))
    defer { BIO_free(file) }
    try #require(PEM_write_bio_X509(file, certificate) == 1)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// What a listener with this certificate speaks.
  var security: Listener.Security {
    get throws {
      .tls(
        try TLSServerContextHolder(
          certificatePath: path("certificate.pem"), privateKeyPath: path("key.pem")))
    }
  }

  /// A client that trusts this certificate.
  var client: TLSClientContext {
    get throws { try TLSClientContext(extraAuthoritiesPath: path("certificate.pem")) }
  }

  private func path(_ name: String) -> String {
    directory.appendingPathComponent(name).path
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

  private static func makeCertificate(_ key: OpaquePointer) throws -> OpaquePointer {
    let certificate = try #require(X509_new())
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
    X509_set_pubkey(certificate, key)
    let subject = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, "localhost", -1, -1, 0)
    X509_set_issuer_name(certificate, subject)
    for (kind, value) in [
      (NID_subject_alt_name, "DNS:localhost"), (NID_basic_constraints, "critical,CA:TRUE"),
    ] {
      let item = try #require(X509V3_EXT_conf_nid(nil, nil, kind, value))
      X509_add_ext(certificate, item, -1)
      X509_EXTENSION_free(item)
    }
    try #require(X509_sign(certificate, key, EVP_sha256()) > 0)
    return certificate
  }
}
