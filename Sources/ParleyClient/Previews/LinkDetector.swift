#if os(Linux)
  internal import LinkPreview
#else
  internal import ClientFoundation
#endif

/// Finds links in texts as the server does.
///
/// On Apple's platforms links are found by the system's `NSDataDetector`. It finds the same URLs, but may
/// differ in bare names: it knows no list of all top-level domains.
public enum LinkDetector {
  /// Returns the first link of a text, in normalized form; `nil` if there is none.
  ///
  /// A link is an http or https URL, or a bare name such as `example.com/page`, which implies http.
  public static func firstMatch(in text: String) -> String? {
    #if os(Linux)
      LinkFinder.firstURL(in: text)?.text
    #else
      SystemLinks.first(in: text)
    #endif
  }
}
