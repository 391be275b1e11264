/// The form of channel URLs.
package enum ChannelURL {
  /// Refuses what is not 4 to 100 characters of `[A-Za-z0-9_-]`.
  ///
  /// - Parameters:
  ///   - url: The name to judge.
  ///   - field: What the refusal calls it.
  package static func check(
    _ url: String, _ field: String = "channel_url"
  ) throws(ServiceError) {
    guard !url.isEmpty else { throw .missing(field) }
    for scalar in url.unicodeScalars where !isAllowed(scalar) {
      throw .character(scalar, in: field, allowed: "A-Z, a-z, 0-9, '_' and '-'")
    }
    let lengths = Limits.channelURLLengths
    guard url.utf8.count <= lengths.upperBound else {
      throw .tooLong(field, limit: lengths.upperBound)
    }
    guard url.utf8.count >= lengths.lowerBound else {
      throw .invalid(field, url, expected: "at least \(lengths.lowerBound) characters")
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
