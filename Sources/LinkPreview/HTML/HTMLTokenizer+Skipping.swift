import Glibc

extension HTMLTokenizer {
  /// Skips bytes that cannot change the state: most of a page is skipped here, at the speed of the
  /// C library's byte search.
  mutating func skipUninteresting(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    switch state {
    case .data: index = Self.find(UInt8(ascii: "<"), in: bytes, from: index)
    case .comment: index = Self.find(UInt8(ascii: "-"), in: bytes, from: index)
    case .bogusComment: index = Self.find(UInt8(ascii: ">"), in: bytes, from: index)
    case .cdata: index = Self.find(UInt8(ascii: "]"), in: bytes, from: index)
    case .plaintext: index = bytes.count
    case .doubleQuotedValue: passValue(upTo: UInt8(ascii: "\""), bytes, &index)
    case .singleQuotedValue: passValue(upTo: UInt8(ascii: "'"), bytes, &index)
    case .rawText: passRawText(bytes, &index)
    case .tagName: passTagName(bytes, &index)
    case .attributeName where !isRecordingAttributes: Self.passName(bytes, &index)
    case .attributeName, .tagOpen, .endTagOpen, .beforeAttributeName, .afterAttributeName,
      .beforeValue, .unquotedValue, .selfClosing, .declarationOpen, .commentStart,
      .commentStartDash, .commentDash, .commentEnd, .commentEndBang, .cdataBracket, .cdataEnd,
      .rawLessThan, .rawEndTag, .rawBang, .rawBangDash, .rawStartTag:
      break
    }
  }

  private mutating func passValue(
    upTo quote: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int
  ) {
    let end = Self.find(quote, in: bytes, from: index)
    if isRecordingAttributes { attributes.append(bytes[index..<end]) }
    index = end
  }

  private mutating func passTagName(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let start = index
    Self.passName(bytes, &index)
    for byte in bytes[start..<index].prefix(32) { tag.append(byte) }
  }

  /// Skips to the end of a name, or to an equals sign, which is part of a tag's name only.
  private static func passName(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    while index < bytes.count {
      let byte = bytes[index]
      if byte <= 0x20 || byte == UInt8(ascii: "/") || (0x3d...0x3e).contains(byte) { return }
      index &+= 1
    }
  }

  private mutating func passRawText(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    // Inside an escaped script the dashes of the comment's end also count.
    if rawElement == .script, script.phase != .plain { return }
    let end = Self.find(UInt8(ascii: "<"), in: bytes, from: index)
    if rawElement == .title {
      title.append(bytes[index..<end])
    } else if keepsScript {
      structuredData.append(bytes[index..<end])
    }
    index = end
  }

  /// Returns the index of the next `byte`, or the end.
  private static func find(
    _ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from index: Int
  ) -> Int {
    guard let base = bytes.baseAddress, index < bytes.count,
      let found = memchr(base + index, Int32(byte), bytes.count - index)
    else { return bytes.count }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
