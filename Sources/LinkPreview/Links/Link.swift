/// A page that a message points to: what is fetched, and the key that its preview is kept under.
package struct Link: Sendable, Hashable {
  /// The absolute http or https URL in its normal form, without userinfo and fragment; at most
  /// ``WebURL/maximumLength`` bytes of ASCII.
  package let url: String

  /// The page at `url`.
  package init(_ url: WebURL) { self.url = url.textWithoutFragment }

  /// The page that `text` names, `nil` when it is not an absolute http or https URL.
  ///
  /// Stricter than a browser: backslashes and control characters, which make two programs read one
  /// URL in two ways, are refused.
  package init?(_ text: String) {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }),
      let url = WebURL(text)
    else { return nil }
    self.init(url)
  }
}
