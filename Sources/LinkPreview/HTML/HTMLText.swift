/// Text of a page as it was sent: its character set unknown, its references not decoded.
struct HTMLText: Hashable {
  private(set) var bytes: [UInt8] = []
  /// Whether something was left out because it did not fit.
  private(set) var isTruncated = false
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func append(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) } else { isTruncated = true }
  }

  mutating func append(_ more: Slice<UnsafeBufferPointer<UInt8>>) {
    let room = limit - bytes.count
    bytes.append(contentsOf: more.prefix(room))
    if more.count > room { isTruncated = true }
  }
}

extension HTMLText {
  /// Whether nothing of it would be left for people to read.
  ///
  /// One that begins with a kilobyte of
  /// nothing counts as blank, so that asking costs little whatever the page.
  var isBlank: Bool {
    let start = bytes.prefix(1_024).drop { $0 <= 0x20 }
    guard let first = start.first else { return true }
    if first < 0x7f, first != UInt8(ascii: "&") { return false }
    let text = String(decoding: start, as: UTF8.self)
    return PlainText.clean(CharacterReferences.decode(text, in: .attribute), limit: 1).isEmpty
  }

  /// Whether the bytes are valid UTF-8, but for a character that was cut at the end.
  var isValidUTF8: Bool {
    if String(validating: bytes, as: UTF8.self) != nil { return true }
    return isTruncated
      && (1...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
