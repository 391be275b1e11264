/// The Retry-After field (RFC 9110 §10.2.3): a number of seconds, or a date.
package enum RetryAfter {
  /// The maximum wait in seconds; longer waits are truncated.
  private static let longestWait: Int64 = 86_400

  /// Returns the wait in milliseconds, at most a day; 0 for a date that has passed.
  ///
  /// - Parameter now: The time in Unix milliseconds.
  package static func milliseconds(_ text: String, at now: Int64) -> Int64? {
    if let seconds = seconds(text) { return min(seconds, longestWait) * 1_000 }
    guard let date = HTTPDate(text, currentYear: CivilTime(unixMilliseconds: now).year) else {
      return nil
    }
    return min(max(0, date.seconds * 1_000 - now), longestWait * 1_000)
  }

  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 9,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
