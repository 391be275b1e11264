/// The link of a message: the page to fetch, and the key of its preview.
package struct Link: Sendable, Hashable {
  /// The parsed URL.
  package let webURL: WebURL
  /// The absolute http or https URL in its normal form, without userinfo and fragment; at most
  /// ``WebURL/maximumLength`` bytes of ASCII.
  package let url: String

  /// Creates the link to the page at `webURL`.
  package init(_ webURL: WebURL) {
    self.webURL = webURL
    url = webURL.textWithoutFragment
  }

  /// Parses an absolute http or https URL; `nil` for other texts.
  ///
  /// Stricter than a browser: backslashes and control characters, which two programs may read in
  /// two ways, are refused.
  package init?(_ text: String) {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }),
      let url = WebURL(text)
    else { return nil }
    self.init(url)
  }

  /// Whether both links point to the same page; fragments do not matter.
  package static func == (one: Link, other: Link) -> Bool { one.url == other.url }

  package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}
