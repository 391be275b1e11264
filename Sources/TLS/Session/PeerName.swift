internal import COpenSSL

/// The name that a server's certificate must be made out to (RFC 9525).
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
    // The name must be among the alternative names: a subject's common name is only a label (RFC 9525
    // §6.4.4).
    X509_VERIFY_PARAM_set_hostflags(SSL_get0_param(ssl), copenssl_never_check_subject)
    guard SSL_set1_host(ssl, text) == 1, copenssl_set_server_name(ssl, text) == 1 else {
      throw .internalFailure(ErrorQueue.drainText())
    }
  }
}
