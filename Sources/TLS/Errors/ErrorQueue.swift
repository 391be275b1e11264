internal import COpenSSL

/// OpenSSL's error queue of the current thread.
///
/// A stale entry would be taken for the next call's failure, so the queue is emptied before each
/// call that may fail and drained after each that did.
enum ErrorQueue {
  /// Forgets what earlier calls left.
  static func clear() {
    // Clearing goes through all the places of a queue that is nearly always empty.
    if ERR_peek_error() != 0 { ERR_clear_error() }
  }

  /// One failure: who reported it, and what.
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

  /// Removes all failures and returns whether the last was the end of a PEM file,
  /// rather than something that could not be read.
  static func drainEndOfPEM() -> Bool {
    guard let last = drain().last else { return false }
    return last.library == ERR_LIB_PEM && last.reason == PEM_R_NO_START_LINE
  }

  static func describe(_ entries: [Entry]) -> String {
    entries.isEmpty ? "no reason given" : entries.map(\.text).joined(separator: "; ")
  }
}
