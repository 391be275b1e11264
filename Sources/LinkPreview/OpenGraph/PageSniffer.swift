/// What the first bytes of a body tell about it.
struct PageSniffer {
  /// How many bytes are looked at.
  static let length = 512

  private let head: ArraySlice<UInt8>

  init(_ body: [UInt8]) { head = body.prefix(Self.length) }

  /// The character set of a byte order mark.
  var byteOrderMark: CharacterSet? {
    if head.starts(with: [0xef, 0xbb, 0xbf]) { return .utf8 }
    if head.starts(with: [0xfe, 0xff]) { return .utf16BigEndian }
    if head.starts(with: [0xff, 0xfe]) { return .utf16LittleEndian }
    return nil
  }

  /// The character set that an XML declaration names.
  var xmlCharacterSet: CharacterSet? {
    guard head.starts(with: "<?xml".utf8), let end = head.firstIndex(of: UInt8(ascii: ">")),
      let name = head[..<end].firstRange(ofBytes: Array("encoding".utf8))
    else { return nil }
    let value = head[name.upperBound..<end].drop { $0.isHTMLWhitespace || $0 == 0x3d }
    guard let quote = value.first, quote == 0x22 || quote == 0x27 else { return nil }
    return CharacterSet(label: value.dropFirst().prefix { $0 != quote })
  }

  /// Whether this is a picture, an archive or a program, whatever it was called.
  var isBinary: Bool {
    if Self.signatures.contains(where: { head.starts(with: $0) }) { return true }
    let control = head.count {
      $0 < 0x09 || (0x0e...0x1a).contains($0) || (0x1c...0x1f).contains($0)
    }
    // A stray control character does not make a page binary; a tenth of them does.
    return control * 10 > head.count
  }

  private static let signatures: [[UInt8]] = [
    [0x89, 0x50, 0x4e, 0x47],  // PNG
    [0xff, 0xd8, 0xff],  // JPEG
    Array("GIF8".utf8), Array("RIFF".utf8), Array("%PDF-".utf8), Array("OggS".utf8),
    Array("ID3".utf8),
    [0x50, 0x4b, 0x03, 0x04],  // ZIP
    [0x1f, 0x8b],  // gzip
    [0x28, 0xb5, 0x2f, 0xfd],  // Zstandard
    [0x7f, 0x45, 0x4c, 0x46],  // ELF
    [0x1a, 0x45, 0xdf, 0xa3],  // Matroska, WebM
    [0x52, 0x61, 0x72, 0x21],  // RAR
    [0x00, 0x61, 0x73, 0x6d],  // WebAssembly
  ]
}
