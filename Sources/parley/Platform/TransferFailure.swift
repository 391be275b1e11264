internal import CCurl

/// The reason of a failed transfer, with advice for the operator.
struct TransferFailure {
  let reason: String
  let advice: Advice?

  /// - Parameters:
  ///   - reason: libcurl's message.
  ///   - isUntrusted: Whether the server's certificate has no trusted issuer or is currently invalid.
  init(_ result: CURLcode, _ reason: String, isUntrusted: Bool) {
    self.reason = reason
    advice =
      switch result {
      case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_OPERATION_TIMEDOUT: .address
      case CURLE_COULDNT_RESOLVE_PROXY: .proxy
      case CURLE_PEER_FAILED_VERIFICATION: isUntrusted ? .authority : .name
      case CURLE_SSL_CACERT_BADFILE: .authority
      case CURLE_SSL_CONNECT_ERROR: .plain
      case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_UNSUPPORTED_PROTOCOL,
        CURLE_WEIRD_SERVER_REPLY:
        .tls
      default: nil
      }
  }
}
