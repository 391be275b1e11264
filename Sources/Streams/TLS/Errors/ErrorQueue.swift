internal import COpenSSL

/// OpenSSL's error queue of the current thread.
///
/// A stale entry would be mistaken for the next call's failure, so the queue is cleared before each call
/// that may fail and drained after each failure.
enum ErrorQueue {
  /// Removes the errors of earlier calls.
  static func clear() {
    // Clearing visits all entries of a queue that is nearly always empty.
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// A failure with the part of OpenSSL that reported it.
  struct Entry {
    let library: Int32
    let reason: Int32
    let text: String

    init(code: UInt) {
      library = copenssl_error_library(code)
      reason = copenssl_error_reason(code)
      text = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }
  }

  /// Removes all failures, oldest first.
  static func drain() -> [Entry] {
    var entries: [Entry] = []
    while case let code = ERR_get_error(), code != 0 {
      entries.append(Entry(code: code))
    }
    return entries
  }

  /// Removes all failures as one line of text, oldest first.
  static func drainText() -> String {
    describe(drain())
  }

  /// Removes all failures and returns whether the last was the end of a PEM file, rather than unreadable
  /// content.
  static func drainEndOfPEM() -> Bool {
    guard let last = drain().last else { return false }
    return last.library == ERR_LIB_PEM && last.reason == PEM_R_NO_START_LINE
  }

  static func describe(_ entries: [Entry]) -> String {
    entries.isEmpty ? "no reason given" : entries.map(\.text).joined(separator: "; ")
  }
}

/// Determines the cause of a failed call on a session from OpenSSL's error queue.
struct FailureReading {
  let error: TLSError

  /// The offset that OpenSSL adds to the number of a received alert.
  private static let alertOffset = SSL_AD_REASON_OFFSET

  /// Empties the error queue.
  init(ssl: OpaquePointer, outcome: Int32) {
    let kind = SSL_get_error(ssl, outcome)
    let entries = ErrorQueue.drain()
    if kind == SSL_ERROR_WANT_READ {
      // Sending waits only for the rest of a message like a key update, which compliant peers send as a
      // whole.
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
