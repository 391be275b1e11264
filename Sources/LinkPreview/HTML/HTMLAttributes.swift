/// The attributes of one tag that the extractor reads, as raw bytes.
///
/// There is one place for each name, so a tag with any number of attributes costs the same. Of two
/// attributes with one name the first counts (HTML §13.2.5.33).
struct HTMLAttributes {
  /// The attributes that are kept.
  enum Name: Int, CaseIterable {
    case property, name, content, charset, rel, href, type, httpEquiv

    var text: String { self == .httpEquiv ? "http-equiv" : "\(self)" }

    fileprivate static let byName = NameTable(allCases.map { ($0.text, $0) })
  }

  /// The longest value that is kept whole, in bytes: room for 4,096 characters, each written as a
  /// numeric reference.
  static let maximumValueLength = 40_960

  // The places are used again for the next tag, unless somebody kept a value.
  private var values = [HTMLText](
    repeating: HTMLText(limit: Self.maximumValueLength), count: Name.allCases.count)
  private var present: UInt8 = 0
  private var wanted: UInt8 = 0
  private var current: Int?

  subscript(_ name: Name) -> HTMLText? {
    present & Self.bit(name.rawValue) != 0 ? values[name.rawValue] : nil
  }

  /// Whether there is such an attribute, empty or not.
  func has(_ name: Name) -> Bool { present & Self.bit(name.rawValue) != 0 }

  /// Forgets all, and gets ready for the attributes of such an element.
  mutating func removeAll(for element: HTMLTagName) {
    current = nil
    present = 0
    wanted = element == .script ? Self.bit(Name.type.rawValue) : .max
  }

  /// Begins the attribute `name`; what is appended next is its value.
  mutating func begin(_ name: PackedName) {
    current = nil
    guard let index = Name.byName[name]?.rawValue else { return }
    let bit = Self.bit(index)
    guard wanted & ~present & bit != 0 else { return }
    present |= bit
    values[index].removeAll()
    current = index
  }

  mutating func append(_ byte: UInt8) {
    guard let current else { return }
    values[current].append(byte)
  }

  mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let current else { return }
    values[current].append(bytes)
  }

  /// How many bytes of the page are held.
  var retainedByteCount: Int { values.reduce(0) { $0 + $1.bytes.count } }

  private static func bit(_ index: Int) -> UInt8 { 1 << UInt8(truncatingIfNeeded: index) }
}

extension HTMLAttributes {
  /// The number of words of a list that are read.
  private static var maximumWords: Int { 16 }

  /// Calls `body` with the words of a value that is a list.
  func forEachWord(of name: Name, _ body: (ArraySlice<UInt8>) -> Void) {
    guard has(name) else { return }
    let bytes = values[name.rawValue].bytes
    var index = 0
    for _ in 0..<Self.maximumWords {
      while index < bytes.count, bytes[index].isHTMLWhitespace { index += 1 }
      guard index < bytes.count else { return }
      let start = index
      while index < bytes.count, !bytes[index].isHTMLWhitespace { index += 1 }
      body(bytes[start..<index])
    }
  }

  /// Whether `type` names this media type (lower case), with parameters or without.
  func type(is mediaType: [UInt8]) -> Bool {
    guard has(.type) else { return false }
    let type = values[Name.type.rawValue].bytes
    guard type.count >= mediaType.count, type.count <= 128 else { return false }
    let essence = type.prefix { $0 != UInt8(ascii: ";") }.trimmingASCIIWhitespace()
    return essence.elementsEqual(mediaType) { $0.asciiLowercased == $1 }
  }
}
