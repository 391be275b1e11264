internal import LinkPreview

/// Finds links in texts as the server does.
public enum LinkDetector {
  /// The first link of a text, in its normal form; `nil` when there is none.
  ///
  /// A link is a URL of http or https, or a bare name such as `example.com/page`, which stands for
  /// http.
  public static func firstMatch(in text: String) -> String? {
    LinkFinder.firstURL(in: text)?.text
  }
}
