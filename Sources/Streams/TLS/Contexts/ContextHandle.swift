internal import COpenSSL

/// An `SSL_CTX` with the settings that both sides share.
///
/// Sharing it is safe: OpenSSL counts references and locks what sessions change, and the owners of a
/// handle change its settings only during initialization.
final class ContextHandle: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer

  /// Only cipher suites with forward secrecy and authenticated encryption.
  ///
  /// AES-128 comes first: as safe in practice, faster, and its short hash saves ~100 bytes per session.
  private static let ciphers13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let ciphers12 = """
    ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
    ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
    ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
    """
  private static let groups = "X25519:P-256:P-384"

  /// Takes ownership of the method's new context, limited to TLS 1.2 up to `maximum`.
  init(method: OpaquePointer, maximum: TLSVersion) throws(TLSError) {
    ErrorQueue.clear()
    guard let context = SSL_CTX_new(method) else {
      throw .internalFailure(ErrorQueue.drainText())
    }
    pointer = context
    let ceiling = maximum == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION
    guard copenssl_ctx_set_min_version(context, TLS1_2_VERSION) == 1,
      copenssl_ctx_set_max_version(context, ceiling) == 1,
      SSL_CTX_set_cipher_list(context, Self.ciphers12) == 1,
      SSL_CTX_set_ciphersuites(context, Self.ciphers13) == 1,
      copenssl_ctx_set_groups(context, Self.groups) == 1
    else { throw .internalFailure(ErrorQueue.drainText()) }
    SSL_CTX_set_options(context, copenssl_op_no_renegotiation | copenssl_op_no_compression)
    copenssl_ctx_release_idle_buffers(context)
    copenssl_ctx_disable_session_cache(context)
  }

  deinit {
    SSL_CTX_free(pointer)
  }
}

/// The application protocols of one side, in wire format (RFC 7301 §3.1).
///
/// OpenSSL's callback reads the bytes from any thread; they are immutable, so they may be shared.
final class ALPNProtocols: Sendable {
  nonisolated(unsafe) private let storage: UnsafeBufferPointer<UInt8>

  var wire: UnsafeBufferPointer<UInt8> { storage }

  /// - Throws: ``TLSError/invalidSetting(_:)`` for a name that is empty or longer than 255 bytes,
  ///   or a list longer than 65,535 bytes.
  init(_ names: [String]) throws(TLSError) {
    var bytes: [UInt8] = []
    for name in names {
      guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
        throw .invalidSetting("the ALPN name \"\(name.prefix(40))\" must be of 1 to 255 bytes")
      }
      bytes.append(length)
      bytes.append(contentsOf: name.utf8)
    }
    guard bytes.count <= 65_535 else {
      throw .invalidSetting("the ALPN names are longer than 65535 bytes together")
    }
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    storage = UnsafeBufferPointer(copy)
  }

  deinit {
    storage.deallocate()
  }

  /// Configures a server's context to choose from these protocols, in the server's order.
  ///
  /// A client that offers ALPN but none of these protocols is refused with `no_application_protocol`, as
  /// RFC 7301 §3.2 requires; one that does not offer ALPN is served. The context keeps no reference:
  /// this object must live at least as long.
  func install(inServer context: OpaquePointer) {
    guard wire.count > 0 else { return }
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, selected, selectedLength, offered, offeredLength, argument in
        guard let selected, let argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let own = Unmanaged<ALPNProtocols>.fromOpaque(argument).takeUnretainedValue().wire
        var choice: UnsafeMutablePointer<UInt8>?
        let outcome = SSL_select_next_proto(
          &choice, selectedLength, own.baseAddress, UInt32(own.count), offered, offeredLength)
        guard outcome == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        selected.pointee = UnsafePointer(choice)
        return SSL_TLSEXT_ERR_OK
      },
      Unmanaged.passUnretained(self).toOpaque())
  }
}
