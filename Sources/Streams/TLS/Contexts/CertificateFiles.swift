internal import COpenSSL

/// A server's certificate chain and private key, read from PEM files.
struct CertificateFiles {
  let certificatePath: String
  let privateKeyPath: String

  /// No real chain or key is nearly as large as this number of bytes.
  private static let sizeLimit = 1_048_576

  /// Reads both files and puts them into `context`.
  ///
  /// The first certificate is the server's own; the following ones are sent as its chain.
  func install(in context: OpaquePointer) throws(TLSError) {
    let file = try PEMFile(path: certificatePath, sizeLimit: Self.sizeLimit)
    guard let leaf = file.nextCertificate() else {
      ErrorQueue.clear()
      throw .unusableFile(path: certificatePath, problem: .noCertificate)
    }
    defer { X509_free(leaf) }
    guard SSL_CTX_use_certificate(context, leaf) == 1 else { throw refusal(of: certificatePath) }
    try installIssuers(from: file, in: context)
    try installKey(of: leaf, in: context)
  }

  private func installIssuers(
    from file: borrowing PEMFile, in context: OpaquePointer
  ) throws(TLSError) {
    while let issuer = file.nextCertificate() {
      guard copenssl_ctx_add_chain_certificate(context, issuer) == 1 else {
        X509_free(issuer)
        throw refusal(of: certificatePath)
      }
    }
    try file.expectEnd()
  }

  private func installKey(of leaf: OpaquePointer, in context: OpaquePointer) throws(TLSError) {
    let file = try PEMFile(path: privateKeyPath, sizeLimit: Self.sizeLimit)
    guard let key = copenssl_read_private_key(file.contents) else {
      ErrorQueue.clear()
      throw .unusableFile(path: privateKeyPath, problem: .noPrivateKey)
    }
    defer { EVP_PKEY_free(key) }
    guard X509_check_private_key(leaf, key) == 1 else {
      ErrorQueue.clear()
      throw .keyDoesNotMatch(certificatePath: certificatePath, privateKeyPath: privateKeyPath)
    }
    guard SSL_CTX_use_PrivateKey(context, key) == 1 else { throw refusal(of: privateKeyPath) }
  }

  private func refusal(of path: String) -> TLSError {
    .unusableFile(path: path, problem: .refused(ErrorQueue.drainText()))
  }
}
