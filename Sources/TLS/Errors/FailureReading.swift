internal import COpenSSL

/// Tells from OpenSSL's error queue who is to blame for the failure of a call on a session.
struct FailureReading {
  let error: TLSError

  /// OpenSSL reports a received alert as this number and the alert's own.
  private static let alertOffset = SSL_AD_REASON_OFFSET

  /// Empties the error queue.
  init(ssl: OpaquePointer, outcome: Int32) {
    let kind = SSL_get_error(ssl, outcome)
    let entries = ErrorQueue.drain()
    if kind == SSL_ERROR_WANT_READ {
      // Sending has to wait only for the rest of a message like a key update, which comes whole
      // from every honest peer.
      error = .protocolViolation(reason: "a handshake message was left incomplete")
      return
    }
    guard kind == SSL_ERROR_SSL else {
      error = .internalFailure(ErrorQueue.describe(entries))
      return
    }
    error = Self.judge(entries, verification: SSL_get_verify_result(ssl))
  }

  private static func judge(_ entries: [ErrorQueue.Entry], verification: Int) -> TLSError {
    for entry in entries where entry.library == ERR_LIB_SSL {
      switch entry.reason {
      case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
        return .plainHTTP
      case SSL_R_CERTIFICATE_VERIFY_FAILED:
        return .certificateRejected(
          reason: String(cString: X509_verify_cert_error_string(verification)))
      case alertOffset...(alertOffset + 255):
        return .alertReceived(
          String(cString: SSL_alert_desc_string_long(entry.reason - alertOffset)))
      default:
        continue
      }
    }
    let isOurs =
      entries.allSatisfy { $0.library != ERR_LIB_SSL } || entries.contains(where: isInternal)
    let text = ErrorQueue.describe(entries)
    return isOurs ? .internalFailure(text) : .protocolViolation(reason: text)
  }

  private static func isInternal(_ entry: ErrorQueue.Entry) -> Bool {
    entry.reason == ERR_R_INTERNAL_ERROR || entry.reason == ERR_R_MALLOC_FAILURE
  }
}
