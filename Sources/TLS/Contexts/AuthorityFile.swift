internal import COpenSSL

/// Certificates to trust beside the system's, read from a PEM file.
struct AuthorityFile {
  let path: String

  private static let sizeLimit = 16_777_216

  /// Adds every certificate of the file to the trust of `context`.
  func install(in context: OpaquePointer) throws(TLSError) {
    ErrorQueue.clear()
    var contents: OpaquePointer?
    let code = copenssl_read_file(path, Self.sizeLimit, &contents)
    guard code == 0, let contents else {
      throw .unusableFile(path: path, problem: .unreadable(errno: code))
    }
    defer { BIO_free(contents) }
    let store = SSL_CTX_get_cert_store(context)
    var count = 0
    while let authority = PEM_read_bio_X509(contents, nil, nil, nil) {
      defer { X509_free(authority) }
      guard X509_STORE_add_cert(store, authority) == 1 else {
        throw .unusableFile(path: path, problem: .refused(ErrorQueue.drainText()))
      }
      count += 1
    }
    guard ErrorQueue.drainEndOfPEM() else {
      throw .unusableFile(path: path, problem: .damagedCertificate)
    }
    guard count > 0 else { throw .unusableFile(path: path, problem: .noCertificate) }
  }
}
