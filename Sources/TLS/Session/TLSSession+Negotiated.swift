internal import COpenSSL

extension TLSSession {
  /// The application protocol both sides agreed on (RFC 7301), or `nil` when there was none.
  package var alpn: String? {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    guard let name, length > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The version both sides agreed on, or `nil` before the handshake is done.
  package var version: TLSVersion? {
    guard isEstablished else { return nil }
    return SSL_version(ssl) == TLS1_3_VERSION ? .tls13 : .tls12
  }

  /// Whether the handshake was shortened by a ticket from an earlier session.
  package var wasResumed: Bool {
    SSL_session_reused(ssl) == 1
  }

  /// The state for resuming this session later; `nil` if the server sent no ticket.
  ///
  /// A TLS 1.3 server sends its ticket after the handshake, so ask once data was received.
  package var resumption: TLSResumption? {
    guard isEstablished, let session = SSL_get1_session(ssl) else { return nil }
    guard SSL_SESSION_is_resumable(session) == 1 else {
      SSL_SESSION_free(session)
      return nil
    }
    return TLSResumption(hostname: hostname, session: session)
  }
}
