internal import COpenSSL
internal import Glibc
internal import Synchronization

/// A server's certificate, key and settings, shared by all its TLS sessions on all threads.
///
/// TLS 1.2 and 1.3 with forward secrecy only, no renegotiation, no compression. For an hour, a client
/// can resume with a ticket (RFC 8446 §4.6.1) that only this context can read; no state is kept per
/// client. The ticket keys change each hour and are discarded after two hours. The name in SNI is
/// ignored: there is one certificate.
package final class TLSServerContext: Sendable {
  let handle: ContextHandle
  /// Kept because OpenSSL's callback has a pointer to it.
  private let alpn: ALPNProtocols
  /// Kept for the same reason.
  private let ticketKeys = TicketKeys()

  /// Reads the files, each of at most 1 MiB.
  ///
  /// - Parameters:
  ///   - certificatePath: PEM, the server's own certificate first, then its issuers.
  ///   - privateKeyPath: PEM, not encrypted.
  ///   - alpn: The server's protocols in order of preference. A client that offers ALPN without any of
  ///     them is refused (RFC 7301 §3.2); one that offers none is served. Empty: ALPN is ignored.
  /// - Throws: ``TLSError/unusableFile(path:problem:)``,
  ///   ``TLSError/keyDoesNotMatch(certificatePath:privateKeyPath:)``,
  ///   ``TLSError/invalidSetting(_:)`` or ``TLSError/internalFailure(_:)``.
  package init(
    certificatePath: String, privateKeyPath: String, alpn: [String] = ["http/1.1"]
  ) throws(TLSError) {
    self.alpn = try ALPNProtocols(alpn)
    handle = try ContextHandle(method: TLS_server_method(), maximum: .tls13)
    SSL_CTX_set_options(
      handle.pointer, copenssl_op_server_preference | copenssl_op_prioritize_chacha)
    copenssl_ctx_disable_chain_search(handle.pointer)
    try ticketKeys.install(in: handle.pointer)
    // One ticket is enough for a client that reconnects once.
    SSL_CTX_set_num_tickets(handle.pointer, 1)
    let files = CertificateFiles(certificatePath: certificatePath, privateKeyPath: privateKeyPath)
    try files.install(in: handle.pointer)
    self.alpn.install(inServer: handle.pointer)
  }

  /// The end of the validity of the server's own certificate, in Unix seconds; `nil` if it is no time.
  package var certificateExpiry: Int64? {
    guard let certificate = SSL_CTX_get0_certificate(handle.pointer),
      let end = X509_get0_notAfter(certificate)
    else { return nil }
    var time = tm()
    guard ASN1_TIME_to_tm(end, &time) == 1 else { return nil }
    return Int64(timegm(&time))
  }
}

/// The server context for new connections, replaced as a whole when its files change.
///
/// Sessions keep the context that they started with. Usable from any thread.
package final class TLSServerContextHolder: Sendable {
  private let certificatePath: String
  private let privateKeyPath: String
  private let alpn: [String]
  private let context: Mutex<TLSServerContext>

  /// Reads the files for the first time; the errors are those of ``TLSServerContext``.
  package init(
    certificatePath: String, privateKeyPath: String, alpn: [String] = ["http/1.1"]
  ) throws(TLSError) {
    self.certificatePath = certificatePath
    self.privateKeyPath = privateKeyPath
    self.alpn = alpn
    context = Mutex(
      try TLSServerContext(
        certificatePath: certificatePath, privateKeyPath: privateKeyPath, alpn: alpn))
  }

  /// The context for the next session.
  package var current: TLSServerContext {
    context.withLock { $0 }
  }

  /// Reads the files again; keeps the old context when they are invalid.
  ///
  /// Earlier tickets are no longer accepted: those clients perform a full handshake.
  package func reload() throws(TLSError) {
    let fresh = try TLSServerContext(
      certificatePath: certificatePath, privateKeyPath: privateKeyPath, alpn: alpn)
    context.withLock { $0 = fresh }
  }
}
