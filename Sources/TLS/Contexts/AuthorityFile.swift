internal import COpenSSL

/// Certificates to trust beside the system's, in PEM form.
enum AuthorityFile {
  /// Bundles of all public authorities have a few hundred KiB.
  private static let sizeLimit = 16_777_216

  /// Reads a file of at most 16 MiB.
  static func read(_ path: String) throws(TLSError) -> PEMFile {
    try PEMFile(path: path, sizeLimit: sizeLimit)
  }

  /// Adds every certificate of the file to the trust of `context`.
  static func install(_ file: borrowing PEMFile, in context: OpaquePointer) throws(TLSError) {
    let store = SSL_CTX_get_cert_store(context)
    var count = 0
    while let authority = file.nextCertificate() {
      defer { X509_free(authority) }
      guard X509_STORE_add_cert(store, authority) == 1 else {
        throw .unusableFile(path: file.path, problem: .refused(ErrorQueue.drainText()))
      }
      count += 1
    }
    try file.expectEnd()
    guard count > 0 else { throw .unusableFile(path: file.path, problem: .noCertificate) }
  }
}
