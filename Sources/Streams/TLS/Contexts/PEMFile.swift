internal import COpenSSL

/// A PEM file that is read into memory as a whole.
struct PEMFile: ~Copyable {
  let path: String
  /// OpenSSL reads certificates or keys from it one after the other.
  let contents: OpaquePointer

  /// Reads at most `sizeLimit` bytes; a longer file is refused.
  init(path: String, sizeLimit: Int) throws(TLSError) {
    ErrorQueue.clear()
    var contents: OpaquePointer?
    let code = copenssl_read_file(path, sizeLimit, &contents)
    guard code == 0, let contents else {
      throw .unusableFile(path: path, problem: .unreadable(errno: code))
    }
    self.path = path
    self.contents = contents
  }

  /// Uses a text in memory as if it were a file.
  init(text: String) throws(TLSError) {
    ErrorQueue.clear()
    guard let contents = BIO_new(BIO_s_mem()) else {
      throw .internalFailure(ErrorQueue.drainText())
    }
    let bytes = Array(text.utf8)
    guard let count = Int32(exactly: bytes.count),
      bytes.isEmpty || BIO_write(contents, bytes, count) == count
    else {
      BIO_free(contents)
      throw .internalFailure("no memory for a PEM text of \(bytes.count) bytes")
    }
    path = "the given PEM text"
    self.contents = contents
  }

  deinit {
    BIO_free(contents)
  }

  /// Reads the next certificate, which the caller frees.
  ///
  /// Returns `nil` at the end or when it is damaged; ``expectEnd()`` distinguishes the two.
  borrowing func nextCertificate() -> OpaquePointer? {
    PEM_read_bio_X509(contents, nil, nil, nil)
  }

  /// Throws unless the last read failed because the end was reached.
  borrowing func expectEnd() throws(TLSError) {
    guard ErrorQueue.drainEndOfPEM() else {
      throw .unusableFile(path: path, problem: .damagedCertificate)
    }
  }
}

/// Certificates to trust in addition to the system's, in PEM form.
enum AuthorityFile {
  /// Bundles of all public authorities are a few hundred KiB in size.
  private static let sizeLimit = 16_777_216

  /// Reads a file of at most 16 MiB.
  static func read(_ path: String) throws(TLSError) -> PEMFile {
    try PEMFile(path: path, sizeLimit: sizeLimit)
  }

  /// Adds every certificate of the file to the trusted certificates of `context`.
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
