import COpenSSL

/// A certificate for 127.0.0.1 that trusts itself, with its key.
package enum SelfSignedCertificate {
  /// Makes one and writes it and its key in PEM form, replacing what is there.
  package static func write(certificate: String, key keyPath: String) throws {
    let key = try makeKey()
    defer { EVP_PKEY_free(key) }
    guard let certificateFile = BIO_new_file(certificate, "w"),
      let keyFile = BIO_new_file(keyPath, "w"), let leaf = X509_new()
    else { throw TestFailure("no files for a certificate") }
    defer {
      X509_free(leaf)
      BIO_free(certificateFile)
      BIO_free(keyFile)
    }
    try fill(leaf, key)
    guard PEM_write_bio_X509(certificateFile, leaf) == 1,
      PEM_write_bio_PrivateKey(keyFile, key, nil, nil, 0, nil, nil) == 1
    else { throw TestFailure("a certificate can't be written") }
  }

  private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer) throws {
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
    X509_set_pubkey(certificate, key)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "Parley Test", -1, -1, 0)
    X509_set_issuer_name(certificate, name)
    for (kind, value) in [
      (NID_basic_constraints, "critical,CA:TRUE"),
      (NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost"),
    ] {
      guard let item = X509V3_EXT_conf_nid(nil, nil, kind, value) else {
        throw TestFailure("no certificate extension \(value)")
      }
      X509_add_ext(certificate, item, -1)
      X509_EXTENSION_free(item)
    }
    guard X509_sign(certificate, key, EVP_sha256()) > 0 else {
      throw TestFailure("a certificate can't be signed")
    }
  }

  private static func makeKey() throws -> OpaquePointer {
    let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
      EVP_PKEY_keygen(context, &key) == 1, let key
    else { throw TestFailure("no key for a certificate") }
    return key
  }
}
