/// The attributes of one tag that the extractor reads, as raw bytes.
///
/// There is one place for each name, so a tag with any number of attributes costs the same. Of two
/// attributes with one name the first counts (HTML §13.2.5.33).
struct HTMLAttributes {
  /// The attributes that are kept.
  enum Name: String, CaseIterable {
    case property, name, content, charset, rel, href, type
    case httpEquiv = "http-equiv"

    fileprivate static let byName: [PackedName: Name] = Dictionary(
      uniqueKeysWithValues: allCases.map { (PackedName($0.rawValue), $0) })
  }

  /// The longest value that is kept whole, in bytes: room for 4,096 characters, each written as a
  /// numeric reference.
  static let maximumValueLength = 40_960

  private var values = [HTMLText?](repeating: nil, count: Name.allCases.count)
  private var current: Int?

  subscript(_ name: Name) -> HTMLText? { values[Self.index(of: name)] }

  /// The words of a value that is a list; empty when there is none.
  func words(of name: Name) -> [ArraySlice<UInt8>] {
    self[name]?.bytes.split(maxSplits: 16, whereSeparator: \.isHTMLWhitespace) ?? []
  }

  /// Whether `type` names this media type (lower case), with parameters or without.
  func type(is mediaType: [UInt8]) -> Bool {
    guard let type = self[.type], type.bytes.count <= 128 else { return false }
    let essence = type.bytes.prefix { $0 != UInt8(ascii: ";") }.trimmingASCIIWhitespace()
    return essence.elementsEqual(mediaType) { $0.asciiLowercased == $1 }
  }

  mutating func removeAll() {
    current = nil
    for index in values.indices { values[index] = nil }
  }

  /// Begins the attribute `name`; what is appended next is its value.
  mutating func begin(_ name: PackedName) {
    current = nil
    guard !name.isTooLong, let known = Name.byName[name] else { return }
    let index = Self.index(of: known)
    guard values[index] == nil else { return }
    values[index] = HTMLText(limit: Self.maximumValueLength)
    current = index
  }

  /// Whether anybody will look at the value of the current attribute.
  var isRecording: Bool { current != nil }

  mutating func append(_ byte: UInt8) {
    guard let current else { return }
    values[current]?.append(byte)
  }

  mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let current else { return }
    values[current]?.append(bytes)
  }

  private static func index(of name: Name) -> Int {
    switch name {
    case .property: 0
    case .name: 1
    case .content: 2
    case .charset: 3
    case .rel: 4
    case .href: 5
    case .type: 6
    case .httpEquiv: 7
    }
  }
}
