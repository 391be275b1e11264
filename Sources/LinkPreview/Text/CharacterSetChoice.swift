/// The character set that a page is read in, and who said so.
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
  /// The name that the web knows it by (WHATWG Encoding §4.2).
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
