internal import COpenSSL

extension TLSSession {
  /// The negotiated application protocol (RFC 7301), or `nil` when there is none.
  package var alpn: String? {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    guard let name, length > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// The negotiated version, or `nil` before the handshake is complete.
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
  /// A TLS 1.3 server sends its ticket after the handshake, so read this after data was received.
  package var resumption: TLSResumption? {
    guard isEstablished, let session = SSL_get1_session(ssl) else { return nil }
    guard SSL_SESSION_is_resumable(session) == 1 else {
      SSL_SESSION_free(session)
      return nil
    }
    return TLSResumption(hostname: hostname, session: session)
  }
}

/// The name for which a server's certificate must be issued (RFC 9525).
struct PeerName {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Makes `ssl` verify the name, and send it as SNI unless it is an address (RFC 6066 §3).
  func require(of ssl: OpaquePointer) throws(TLSError) {
    guard !text.isEmpty, text.utf8.count <= 253, !text.utf8.contains(0) else {
      throw .invalidSetting("\"\(text.prefix(60))\" is not a host name")
    }
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), text) == 1 { return }
    ErrorQueue.clear()
    // The name must be among the alternative names: a subject's common name is not checked (RFC 9525
    // §6.4.4).
    X509_VERIFY_PARAM_set_hostflags(SSL_get0_param(ssl), copenssl_never_check_subject)
    guard SSL_set1_host(ssl, text) == 1, copenssl_set_server_name(ssl, text) == 1 else {
      throw .internalFailure(ErrorQueue.drainText())
    }
  }
}

/// The state of a session that shortens the next handshake with the same host.
///
/// Contains secrets of the session: keep it only in memory. Confined to one thread at a time, like the
/// sessions that produce and use it.
package final class TLSResumption {
  let hostname: String
  let session: OpaquePointer

  /// Takes ownership of one reference to `session`.
  init(hostname: String, session: OpaquePointer) {
    self.hostname = hostname
    self.session = session
  }

  deinit {
    SSL_SESSION_free(session)
  }
}
