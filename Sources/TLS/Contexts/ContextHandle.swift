internal import COpenSSL

/// An `SSL_CTX` with the settings that both sides share.
///
/// Sharing it is safe: OpenSSL counts references and locks what sessions change in it, and the
/// owners of a handle change its settings only while they are being made.
final class ContextHandle: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer

  /// Forward secrecy and authenticated encryption only.
  ///
  /// AES with 128 bits comes first: it is as safe in practice, faster, and with its shorter hash a session is some 100 bytes smaller.
  private static let ciphers13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let ciphers12 = """
    ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
    ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
    ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
    """
  private static let groups = "X25519:P-256:P-384"

  /// Takes over the method's new context, limited to TLS 1.2 up to `maximum`.
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
