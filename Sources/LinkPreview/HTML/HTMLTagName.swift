/// The elements that the tokenizer or the extractor has to know.
enum HTMLTagName: String, CaseIterable {
  case base, body, head, link, meta
  case title, textarea
  case script, style, xmp, iframe, noembed, noframes, noscript
  case plaintext
  case template
  case svg, math
  /// Any element that ends foreign content when it begins inside (HTML §13.2.6.5).
  case breakout
  case other

  init(_ name: PackedName) {
    self = Self.byName[name] ?? .other
  }

  /// Whether the extractor reads the attributes of this element.
  var hasAttributesOfInterest: Bool {
    self == .meta || self == .link || self == .base || self == .script
  }

  /// Whether this element's content is text without tags.
  ///
  /// With scripting on, as browsers have it,
  /// `noscript` is such an element too; what stands in it is for others.
  var isRawText: Bool {
    switch self {
    case .title, .textarea, .script, .style, .xmp, .iframe, .noembed, .noframes, .noscript: true
    default: false
    }
  }

  /// Whether this element, begun inside foreign content, ends it.
  var breaksOutOfForeignContent: Bool {
    self == .breakout || self == .body || self == .head || self == .meta
  }

  private static let breakoutNames = [
    "b", "big", "blockquote", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1",
    "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "li", "listing", "menu", "nobr", "ol", "p",
    "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul",
    "var",
  ]

  private static let byName = NameTable(
    allCases.filter { $0 != .breakout && $0 != .other }.map { ($0.rawValue, $0) }
      + breakoutNames.map { ($0, .breakout) })
}
