import COpenSSL
import Glibc

/// The server's side of TLS, with one certificate.
final class LocalTLS: @unchecked Sendable {
  // A context may be used from many threads once it is set up.
  private let context: OpaquePointer

  /// - Parameter newestVersion: The newest version of TLS that is offered; 0 for any.
  init(_ identity: TestIdentity, newestVersion: Int32 = 0) throws {
    // OpenSSL writes without `MSG_NOSIGNAL`.
    signal(SIGPIPE, SIG_IGN)
    guard let context = SSL_CTX_new(TLS_server_method()),
      SSL_CTX_use_certificate(context, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey(context, identity.key) == 1,
      copenssl_ctx_set_max_version(context, newestVersion) == 1
    else { throw TestIdentity.Failure() }
    self.context = context
  }

  deinit { SSL_CTX_free(context) }

  /// Shakes hands; `nil` when that fails.
  func accept(_ descriptor: Int32) -> Session? {
    guard let session = Session(context, descriptor) else { return nil }
    return session.shakeHands() ? session : nil
  }

  final class Session {
    private let ssl: OpaquePointer

    init?(_ context: OpaquePointer, _ descriptor: Int32) {
      guard let ssl = SSL_new(context) else { return nil }
      self.ssl = ssl
      SSL_set_fd(ssl, descriptor)
    }

    deinit { SSL_free(ssl) }

    func shakeHands() -> Bool { SSL_accept(ssl) == 1 }

    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
      Int(SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count)))
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
      Int(SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    func end() { SSL_shutdown(ssl) }
  }
}
