/// The attributes of one tag that the extractor needs, as raw bytes.
///
/// There is one slot for each name, so a tag with any number of attributes uses the same memory. If
/// a name occurs twice, the first attribute counts (HTML §13.2.5.33).
struct HTMLAttributes {
  /// The stored attributes.
  enum Name: Int, CaseIterable {
    case property, name, content, charset, rel, href, type, httpEquiv

    var text: String { self == .httpEquiv ? "http-equiv" : "\(self)" }

    fileprivate static let byName = NameTable(allCases.map { ($0.text, $0) })
  }

  /// The longest value stored completely, in bytes: room for 4,096 characters, each written as a
  /// numeric reference.
  static let maximumValueLength = 40_960

  // The slots are reused for the next tag, unless a value was copied.
  private var values = [HTMLText](
    repeating: HTMLText(limit: Self.maximumValueLength), count: Name.allCases.count)
  private var present: UInt8 = 0
  private var wanted: UInt8 = 0
  private var current: Int?

  subscript(_ name: Name) -> HTMLText? {
    present & Self.bit(name.rawValue) != 0 ? values[name.rawValue] : nil
  }

  /// Returns whether there is such an attribute, empty or not.
  func has(_ name: Name) -> Bool { present & Self.bit(name.rawValue) != 0 }

  /// Clears all attributes and prepares for those of an element.
  mutating func removeAll(for element: HTMLTagName) {
    current = nil
    present = 0
    wanted = element == .script ? Self.bit(Name.type.rawValue) : .max
  }

  /// Starts the attribute `name`; bytes appended next are its value.
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

  /// The number of bytes of the page in memory.
  var retainedByteCount: Int { values.reduce(0) { $0 + $1.bytes.count } }

  private static func bit(_ index: Int) -> UInt8 { 1 << UInt8(truncatingIfNeeded: index) }
}

extension HTMLAttributes {
  /// The maximum number of words read of a list.
  private static var maximumWords: Int { 16 }

  /// Calls `body` with each word of a value that is a list.
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

  /// Returns whether `type` is this media type (lower case), with or without parameters.
  func type(is mediaType: [UInt8]) -> Bool {
    guard has(.type) else { return false }
    let type = values[Name.type.rawValue].bytes
    guard type.count >= mediaType.count, type.count <= 128 else { return false }
    let essence = type.prefix { $0 != UInt8(ascii: ";") }.trimmingASCIIWhitespace()
    return essence.elementsEqual(mediaType) { $0.asciiLowercased == $1 }
  }
}
