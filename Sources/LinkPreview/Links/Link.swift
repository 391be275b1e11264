package import ParleyProtocol

/// The link of a message: the page to fetch, and the key of its preview.
package struct Link: Sendable, Hashable {
  /// The parsed URL.
  package let webURL: WebURL
  /// The absolute http or https URL in normalized form, without userinfo and fragment; at most
  /// ``WebURL/maximumLength`` bytes of ASCII.
  package let url: String

  /// Creates the link to the page at `webURL`.
  package init(_ webURL: WebURL) {
    self.webURL = webURL
    url = webURL.textWithoutFragment
  }

  /// Parses an absolute http or https URL; `nil` for other texts.
  ///
  /// Stricter than a browser: backslashes and control characters, which programs may interpret
  /// differently, are rejected.
  package init?(_ text: String) {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "\\") }),
      let url = WebURL(text)
    else { return nil }
    self.init(url)
  }

  /// Returns whether both links point to the same page, ignoring fragments.
  package static func == (one: Link, other: Link) -> Bool { one.url == other.url }

  package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

/// The state of knowledge about a text's link before its page is fetched.
package enum LinkKnowledge: Sendable, Hashable {
  /// The text has no link that could have a preview.
  case noLink
  /// There is no preview: the operator refuses the link, its page has none, or a recent fetch failed.
  case none
  case found(OpenGraphTag)
  /// The page must be fetched; if it has no preview, the text's other links are tried in order.
  case unknown(Link, otherwise: [Link] = [])

  /// The preview, if it is known.
  package var tag: OpenGraphTag? {
    if case .found(let tag) = self { tag } else { nil }
  }

  /// Whether the page must be fetched.
  package var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}

/// The scalars of a text to search for links.
struct LinkText {
  let scalars: [Unicode.Scalar]

  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  var count: Int { scalars.count }

  /// The scalar at `index`, `nil` before the first and after the last.
  subscript(index: Int) -> Unicode.Scalar? {
    scalars.indices.contains(index) ? scalars[index] : nil
  }

  /// Returns the end of the scalars from `index` that satisfy `condition`.
  func end(from index: Int, while condition: (Unicode.Scalar) -> Bool) -> Int {
    var end = index
    while end < count, condition(scalars[end]) { end += 1 }
    return end
  }

  /// Returns whether the dot of a Catalan double l is at `index`: `paral·lel` (RFC 5892 §A.3).
  func isGeminateDot(at index: Int) -> Bool {
    self[index] == "\u{b7}" && self[index - 1]?.asciiLowercased == "l"
      && self[index + 1]?.asciiLowercased == "l"
  }

  func string(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }

  /// Returns the end of `http://` or `https://`, in any case, at `index`; `nil` if there is none.
  func webSchemeEnd(at index: Int) -> Int? {
    let name = end(from: index) { $0.isASCIIAlphanumeric }
    guard isSchemeEnd(name), isWebScheme(index..<name) else { return nil }
    return name + 3
  }

  /// Returns whether `://` is at `index`.
  func isSchemeEnd(_ index: Int) -> Bool {
    self[index] == ":" && self[index + 1] == "/" && self[index + 2] == "/"
  }

  /// Returns whether the scalars of `range` are `http` or `https`.
  func isWebScheme(_ range: Range<Int>) -> Bool {
    guard range.count == 4 || range.count == 5 else { return false }
    return zip(scalars[range], "https".unicodeScalars).allSatisfy { $0.asciiLowercased == $1 }
  }
}
