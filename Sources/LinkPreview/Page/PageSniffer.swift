/// Examines the first bytes of a body.
struct PageSniffer {
  /// The number of bytes to examine.
  private static let length = 512
  /// The mark that ends the examination early: a short page may not be ended by its server for a while.
  private static let endOfHead = Array("</head".utf8)

  private let head: ArraySlice<UInt8>

  /// - Returns: `nil` if more bytes may need examination.
  init?(_ body: [UInt8]) {
    let start = body.prefix(Self.length)
    if let end = start.asciiLowercased()[...].firstRange(ofBytes: Self.endOfHead) {
      head = start[..<end.upperBound]
    } else if start.count == Self.length {
      head = start
    } else {
      return nil
    }
  }

  /// Examines a complete body.
  init(whole body: [UInt8]) { head = PageSniffer(body)?.head ?? body[...] }

  /// The character set of a byte order mark.
  var byteOrderMark: CharacterSet? {
    if head.starts(with: [0xef, 0xbb, 0xbf]) { return .utf8 }
    if head.starts(with: [0xfe, 0xff]) { return .utf16BigEndian }
    if head.starts(with: [0xff, 0xfe]) { return .utf16LittleEndian }
    return nil
  }

  /// The character set in an XML declaration.
  var xmlCharacterSet: CharacterSet? {
    guard head.starts(with: "<?xml".utf8), let end = head.firstIndex(of: UInt8(ascii: ">")),
      let name = head[..<end].firstRange(ofBytes: Array("encoding".utf8))
    else { return nil }
    let value = head[name.upperBound..<end].drop { $0.isHTMLWhitespace || $0 == 0x3d }
    guard let quote = value.first, quote == 0x22 || quote == 0x27 else { return nil }
    return CharacterSet(label: value.dropFirst().prefix { $0 != quote })
  }

  /// The undeclared UTF-16 encoding of a page: markup in which every other byte is zero
  /// (HTML §13.2.3.2 has this rule for XML declarations).
  var evidentUTF16: CharacterSet? {
    guard head.count >= 4, head.contains(UInt8(ascii: "<")) else { return nil }
    let zeros = head.prefix(4).map { $0 == 0 }
    if zeros == [false, true, false, true] { return .utf16LittleEndian }
    return zeros == [true, false, true, false] ? .utf16BigEndian : nil
  }

  /// Returns the reason why this cannot be a page in that character set (`nil` if not known), as
  /// text; `nil` if it can.
  func problem(in characterSet: CharacterSet?) -> String? {
    if head.isEmpty { return "the body is empty" }
    if let kind = Self.signatures.first(where: { head.starts(with: $0.bytes) })?.kind {
      return "the body is not text (\(kind))"
    }
    // In UTF-16 half of the bytes may be zero.
    let isUTF16 = characterSet == .utf16LittleEndian || characterSet == .utf16BigEndian
    return !isUTF16 && hasManyControls ? "the body is not text (control characters)" : nil
  }

  private var hasManyControls: Bool {
    let control = head.count {
      $0 < 0x09 || (0x0e...0x1a).contains($0) || (0x1c...0x1f).contains($0)
    }
    // A single control character does not make a page binary; a tenth of them does.
    return control * 10 > head.count
  }

  private static let signatures: [(kind: String, bytes: [UInt8])] = [
    ("PNG", [0x89, 0x50, 0x4e, 0x47]), ("JPEG", [0xff, 0xd8, 0xff]), ("GIF", Array("GIF8".utf8)),
    ("RIFF", Array("RIFF".utf8)), ("PDF", Array("%PDF-".utf8)), ("Ogg", Array("OggS".utf8)),
    ("MP3", Array("ID3".utf8)), ("ZIP", [0x50, 0x4b, 0x03, 0x04]), ("gzip", [0x1f, 0x8b]),
    ("Zstandard", [0x28, 0xb5, 0x2f, 0xfd]), ("ELF", [0x7f, 0x45, 0x4c, 0x46]),
    ("Matroska", [0x1a, 0x45, 0xdf, 0xa3]), ("RAR", [0x52, 0x61, 0x72, 0x21]),
    ("WebAssembly", [0x00, 0x61, 0x73, 0x6d]),
  ]
}
