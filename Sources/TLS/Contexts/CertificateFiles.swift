internal import COpenSSL

/// A server's certificate chain and private key, read from PEM files.
struct CertificateFiles {
  let certificatePath: String
  let privateKeyPath: String

  /// No chain or key in earnest comes near this many bytes.
  private static let sizeLimit = 1_048_576

  /// Reads both files and puts them into `context`.
  ///
  /// The first certificate is the server's own, those after it are sent as its chain.
  func install(in context: OpaquePointer) throws(TLSError) {
    let leaf = try installChain(in: context)
    defer { X509_free(leaf) }
    let key = try readKey()
    defer { EVP_PKEY_free(key) }
    guard X509_check_private_key(leaf, key) == 1 else {
      ErrorQueue.clear()
      throw .keyDoesNotMatch(certificatePath: certificatePath, privateKeyPath: privateKeyPath)
    }
    guard SSL_CTX_use_PrivateKey(context, key) == 1 else { throw refusal(of: privateKeyPath) }
  }

  private func installChain(in context: OpaquePointer) throws(TLSError) -> OpaquePointer {
    let file = try read(certificatePath)
    defer { BIO_free(file) }
    guard let leaf = PEM_read_bio_X509_AUX(file, nil, nil, nil) else {
      ErrorQueue.clear()
      throw .unusableFile(path: certificatePath, problem: .noCertificate)
    }
    guard SSL_CTX_use_certificate(context, leaf) == 1 else {
      X509_free(leaf)
      throw refusal(of: certificatePath)
    }
    do throws(TLSError) {
      try installIssuers(from: file, in: context)
    } catch {
      X509_free(leaf)
      throw error
    }
    return leaf
  }

  private func installIssuers(from file: OpaquePointer, in context: OpaquePointer) throws(TLSError)
  {
    while let issuer = PEM_read_bio_X509(file, nil, nil, nil) {
      guard copenssl_ctx_add_chain_certificate(context, issuer) == 1 else {
        X509_free(issuer)
        throw refusal(of: certificatePath)
      }
    }
    guard ErrorQueue.drainEndOfPEM() else {
      throw .unusableFile(path: certificatePath, problem: .damagedCertificate)
    }
  }

  private func readKey() throws(TLSError) -> OpaquePointer {
    let file = try read(privateKeyPath)
    defer { BIO_free(file) }
    guard let key = copenssl_read_private_key(file) else {
      ErrorQueue.clear()
      throw .unusableFile(path: privateKeyPath, problem: .noPrivateKey)
    }
    return key
  }

  private func read(_ path: String) throws(TLSError) -> OpaquePointer {
    ErrorQueue.clear()
    var contents: OpaquePointer?
    let code = copenssl_read_file(path, Self.sizeLimit, &contents)
    guard code == 0, let contents else {
      throw .unusableFile(path: path, problem: .unreadable(errno: code))
    }
    return contents
  }

  private func refusal(of path: String) -> TLSError {
    .unusableFile(path: path, problem: .refused(ErrorQueue.drainText()))
  }
}
