/// A character set of the web, identified by the labels used in pages (WHATWG Encoding §4.2).
enum CharacterSet: Hashable {
  case utf8
  case windows1252
  case utf16LittleEndian
  case utf16BigEndian
  /// Switches between alphabets with escape sequences.
  case iso2022JP
  /// Any other, by its name in the C library.
  case named(String)

  /// Finds the character set for a label; `nil` if there is none.
  init?(label: some Collection<UInt8>) {
    let trimmed = label.trimmingASCIIWhitespace()
    guard trimmed.count <= 32 else { return nil }
    let name = String(decoding: trimmed.asciiLowercased(), as: UTF8.self)
    guard let known = CharacterSetLabels.byLabel[name] else { return nil }
    self = known
  }

  /// The meaning of the label in a tag or declaration, which is not in UTF-16 if it could be parsed.
  var asReadInTag: CharacterSet {
    self == .utf16LittleEndian || self == .utf16BigEndian ? .utf8 : self
  }

  /// Parses the `charset` parameter of a media type.
  init?(mediaTypeParameter text: some Collection<UInt8>) {
    // HTML's own algorithm (§2.4.4), used for headers and for `http-equiv`.
    let bytes = Array(text)
    let lower = bytes.asciiLowercased()
    let name = Array("charset".utf8)
    var start = 0
    while let found = lower[start...].firstRange(ofBytes: name) {
      var index = found.upperBound
      index = lower.skipWhitespace(from: index)
      if index < lower.count, lower[index] == UInt8(ascii: "=") {
        self.init(label: Self.parameterValue(lower, from: lower.skipWhitespace(from: index + 1)))
        return
      }
      start = found.upperBound
    }
    return nil
  }

  private static func parameterValue(_ text: [UInt8], from start: Int) -> ArraySlice<UInt8> {
    let rest = text[start...]
    guard let quote = rest.first else { return rest }
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      return rest.dropFirst().prefix { $0 != quote }
    }
    return rest.prefix { !$0.isHTMLWhitespace && $0 != UInt8(ascii: ";") }
  }
}

extension Array where Element == UInt8 {
  fileprivate func skipWhitespace(from start: Int) -> Int {
    var index = start
    while index < count, self[index].isHTMLWhitespace { index += 1 }
    return index
  }
}

extension ArraySlice where Element == UInt8 {
  /// Returns the first position of `needle`, a short text.
  func firstRange(ofBytes needle: [UInt8]) -> Range<Int>? {
    guard let first = needle.first, count >= needle.count else { return nil }
    for index in startIndex...(endIndex - needle.count) where self[index] == first {
      if self[index...].starts(with: needle) { return index..<(index + needle.count) }
    }
    return nil
  }
}

/// The character set of a page, and its source.
struct CharacterSetChoice {
  /// The source of a character set, the most trusted first (HTML §13.2.3.2).
  enum Authority: String {
    case byteOrderMark = "byte order mark"
    case header = "Content-Type"
    case meta = "meta element"
    case xmlDeclaration = "XML declaration"
    case guess = "guessed"
  }

  let characterSet: CharacterSet
  let authority: Authority
}

extension CharacterSetChoice: CustomStringConvertible {
  var description: String { "\(characterSet.webName) (\(authority.rawValue))" }
}

extension CharacterSet {
  /// The name used on the web (WHATWG Encoding §4.2).
  var webName: String {
    switch self {
    case .utf8: "UTF-8"
    case .windows1252: "windows-1252"
    case .utf16LittleEndian: "UTF-16LE"
    case .utf16BigEndian: "UTF-16BE"
    case .iso2022JP: "ISO-2022-JP"
    case .named(let name): Self.webNames[name] ?? name
    }
  }

  /// Character sets with a different name in the C library.
  private static let webNames = [
    "CP932": "Shift_JIS", "CP949": "EUC-KR", "EUC-JP-MS": "EUC-JP", "BIG5-HKSCS": "Big5",
    "GB18030": "gb18030", "CP874": "windows-874", "CP1250": "windows-1250",
    "CP1251": "windows-1251", "CP1253": "windows-1253", "CP1254": "windows-1254",
    "CP1255": "windows-1255", "CP1256": "windows-1256", "CP1257": "windows-1257",
    "CP1258": "windows-1258", "MACINTOSH": "macintosh", "MAC-CYRILLIC": "x-mac-cyrillic",
  ]
}
