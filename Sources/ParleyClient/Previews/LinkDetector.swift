internal import LinkPreview

/// Finds links in texts as the server does.
public enum LinkDetector {
  /// Returns the first link of a text, in normalized form; `nil` if there is none.
  ///
  /// A link is an http or https URL, or a bare name such as `example.com/page`, which implies http.
  public static func firstMatch(in text: String) -> String? {
    LinkFinder.firstURL(in: text)?.text
  }
}
