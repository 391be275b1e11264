internal import COpenSSL

/// Certificates to trust beside the system's, read from a PEM file.
struct AuthorityFile {
  let path: String

  /// Bundles of all public authorities have a few hundred KiB.
  private static let sizeLimit = 16_777_216

  /// Adds every certificate of the file to the trust of `context`.
  func install(in context: OpaquePointer) throws(TLSError) {
    let file = try PEMFile(path: path, sizeLimit: Self.sizeLimit)
    let store = SSL_CTX_get_cert_store(context)
    var count = 0
    while let authority = file.nextCertificate() {
      defer { X509_free(authority) }
      guard X509_STORE_add_cert(store, authority) == 1 else {
        throw .unusableFile(path: path, problem: .refused(ErrorQueue.drainText()))
      }
      count += 1
    }
    try file.expectEnd()
    guard count > 0 else { throw .unusableFile(path: path, problem: .noCertificate) }
  }
}
