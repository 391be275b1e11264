internal import Synchronization

/// The server context for new connections, replaced as a whole when its files change.
///
/// Sessions keep the context that they began with. Usable from any thread.
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

  /// The context to give to the next session.
  package var current: TLSServerContext {
    context.withLock { $0 }
  }

  /// Reads the files again, and keeps the old context when they cannot be used.
  ///
  /// Tickets made before are no longer honoured: those clients make a full handshake.
  package func reload() throws(TLSError) {
    let fresh = try TLSServerContext(
      certificatePath: certificatePath, privateKeyPath: privateKeyPath, alpn: alpn)
    context.withLock { $0 = fresh }
  }
}
