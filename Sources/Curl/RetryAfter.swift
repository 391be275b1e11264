/// The field Retry-After (RFC 9110 §10.2.3), as a number of seconds; a date is not understood.
package enum RetryAfter {
  /// In milliseconds, at most a day.
  package static func milliseconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 9,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(text)
    else { return nil }
    return min(seconds, 86_400) * 1_000
  }
}
