#if canImport(Darwin)
  internal import Foundation

  /// Links in texts, found by the system.
  package enum SystemLinks {
    private static let detector = try? NSDataDetector(
      types: NSTextCheckingResult.CheckingType.link.rawValue)

    /// Returns the first http or https URL of a text; a bare name implies http.
    package static func first(in text: String) -> String? {
      let whole = NSRange(text.startIndex..<text.endIndex, in: text)
      var found: String?
      detector?.enumerateMatches(in: text, range: whole) { match, _, stop in
        // Mail addresses and telephone numbers are links too.
        guard let url = match?.url, url.scheme == "http" || url.scheme == "https" else { return }
        found = url.absoluteString
        stop.pointee = true
      }
      return found
    }
  }
#endif
