internal import COpenSSL

/// The state of a session that shortens the next handshake with the same host.
///
/// Holds secrets of the session: keep it in memory only. Confined to one thread at a time, like
/// the sessions it comes from and goes to.
package final class TLSResumption {
  let hostname: String
  let session: OpaquePointer

  /// Takes over one reference to `session`.
  init(hostname: String, session: OpaquePointer) {
    self.hostname = hostname
    self.session = session
  }

  deinit {
    SSL_SESSION_free(session)
  }
}
