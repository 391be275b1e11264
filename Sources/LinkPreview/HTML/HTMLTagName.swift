/// The elements that the tokenizer or the extractor handles.
enum HTMLTagName: String, CaseIterable {
  case base, body, head, link, meta
  case title, textarea
  case script, style, xmp, iframe, noembed, noframes, noscript
  case plaintext
  case template
  case svg, math
  /// Any element whose start tag ends foreign content (HTML §13.2.6.5).
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
  /// With scripting enabled, as in browsers, `noscript` is also such an element; its content is
  /// ignored.
  var isRawText: Bool {
    switch self {
    case .title, .textarea, .script, .style, .xmp, .iframe, .noembed, .noframes, .noscript: true
    case .base, .body, .head, .link, .meta, .plaintext, .template, .svg, .math, .breakout, .other:
      false
    }
  }

  /// Whether a start tag of this element inside foreign content ends the foreign content.
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

/// Finds a value by a short name in one or two steps.
///
/// The names are fixed at compile time, so the hash needs no secret; names in a page cannot slow it
/// down.
struct NameTable<Value: Sendable>: Sendable {
  private let slots: [Slot?]

  private struct Slot: Sendable {
    let name: PackedName
    let value: Value
  }

  private static var slotCount: Int { 256 }

  /// - Parameter entries: Far fewer than 256 names of at most sixteen bytes.
  init(_ entries: [(String, Value)]) {
    var slots = [Slot?](repeating: nil, count: Self.slotCount)
    for (text, value) in entries {
      let name = PackedName(text)
      var index = Self.index(of: name)
      while slots[index] != nil { index = (index + 1) % Self.slotCount }
      slots[index] = Slot(name: name, value: value)
    }
    self.slots = slots
  }

  subscript(_ name: PackedName) -> Value? {
    guard !name.isTooLong else { return nil }
    var index = Self.index(of: name)
    while let slot = slots[index] {
      if slot.name == name { return slot.value }
      index = (index + 1) % Self.slotCount
    }
    return nil
  }

  private static func index(of name: PackedName) -> Int {
    let folded =
      UInt64(truncatingIfNeeded: name.bits) ^ UInt64(truncatingIfNeeded: name.bits >> 64)
    return Int((folded &* 0x9e37_79b9_7f4a_7c15) >> 56)
  }
}

/// A lower-case ASCII name of at most sixteen bytes in one integer, for comparison without allocation.
struct PackedName: Hashable, Sendable {
  private(set) var bits: UInt128 = 0
  private(set) var byteCount = 0

  init() {}

  init(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Whether more was appended than fits; such a name equals no known name.
  var isTooLong: Bool { byteCount > 16 }

  mutating func append(_ byte: UInt8) {
    guard byteCount <= 16 else { return }
    byteCount &+= 1
    bits = bits &<< 8 | UInt128(byte.asciiLowercased)
  }

  /// Returns whether `other` starts with this name.
  func begins(_ other: PackedName) -> Bool {
    let missing = other.byteCount &- byteCount
    return missing >= 0 && other.bits >> (8 * missing) == bits
  }
}
