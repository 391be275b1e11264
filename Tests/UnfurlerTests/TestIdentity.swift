import COpenSSL
import Foundation

/// A certificate with its key, made for a test.
final class TestIdentity: @unchecked Sendable {
  // Read only once it is made.
  let certificate: OpaquePointer
  let key: OpaquePointer

  struct Failure: Error {}

  /// What is certified.
  enum Subject {
    case authority(String)
    case host(String)
    /// A host without alternative names.
    case commonName(String)

    fileprivate var name: String {
      switch self {
      case .authority(let name), .host(let name), .commonName(let name): name
      }
    }

    fileprivate var extensions: [(Int32, String)] {
      switch self {
      case .authority: [(NID_basic_constraints, "critical,CA:TRUE")]
      case .host(let name):
        [(NID_basic_constraints, "CA:FALSE"), (NID_subject_alt_name, "DNS:\(name)")]
      case .commonName:
        [(NID_basic_constraints, "CA:FALSE"), (NID_subject_alt_name, "email:a@page.example")]
      }
    }
  }

  /// - Parameters:
  ///   - issuer: Who signs; the certificate itself when there is nobody else.
  ///   - validity: In seconds from now.
  init(
    _ subject: Subject, issuer: TestIdentity? = nil, validity: Range<Int> = -60..<86_400
  ) throws {
    guard let certificate = X509_new() else { throw Failure() }
    self.certificate = certificate
    key = try Self.makeKey()
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
    X509_gmtime_adj(X509_getm_notBefore(certificate), validity.lowerBound)
    X509_gmtime_adj(X509_getm_notAfter(certificate), validity.upperBound)
    X509_set_pubkey(certificate, key)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, subject.name, -1, -1, 0)
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate))
    for (kind, value) in subject.extensions {
      guard let item = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw Failure() }
      X509_add_ext(certificate, item, -1)
      X509_EXTENSION_free(item)
    }
    guard X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else { throw Failure() }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// Writes the certificate in PEM form to a new temporary file.
  func writeCertificate() throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    guard let file = BIO_new_file(path, "w") else { throw Failure() }
    defer { BIO_free(file) }
    guard PEM_write_bio_X509(file, certificate) == 1 else { throw Failure() }
    return path
  }

  private static func makeKey() throws -> OpaquePointer {
    let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
      EVP_PKEY_keygen(context, &key) == 1, let key
    else { throw Failure() }
    return key
  }
}
