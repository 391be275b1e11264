/// Elements whose content is text: only their own end tag ends them.
extension HTMLTokenizer {
  mutating func receiveInRawText(_ byte: UInt8, _ index: inout Int) {
    switch state {
    case .rawLessThan: receiveRawLessThan(byte, &index)
    case .rawEndTag: receiveRawEndTag(byte, &index)
    case .rawStartTag: receiveRawStartTag(byte, &index)
    case .rawBang:
      if byte == UInt8(ascii: "-") {
        state = .rawBangDash
      } else {
        resumeText(after: "<!", &index)
      }
    case .rawBangDash: receiveRawBangDash(byte, &index)
    default:
      if byte == UInt8(ascii: "<") {
        state = .rawLessThan
      } else {
        keep(byte)
      }
    }
  }

  private mutating func receiveRawLessThan(_ byte: UInt8, _ index: inout Int) {
    tag = PackedName()
    switch byte {
    case UInt8(ascii: "/"): state = .rawEndTag
    case UInt8(ascii: "!") where rawElement == .script && script.phase == .plain:
      state = .rawBang
    case _ where byte.isASCIILetter && rawElement == .script && script.phase == .escaped:
      keep(UInt8(ascii: "<"))
      keep(byte)
      tag.append(byte)
      state = .rawStartTag
    default: resumeText(after: "<", &index)
    }
  }

  private mutating func receiveRawBangDash(_ byte: UInt8, _ index: inout Int) {
    guard byte == UInt8(ascii: "-") else {
      resumeText(after: "<!-", &index)
      return
    }
    keep("<!--")
    script.begin()
    state = .rawText
  }

  private mutating func receiveRawEndTag(_ byte: UInt8, _ index: inout Int) {
    if byte.isASCIILetter {
      if tag.byteCount == 0 { rawEndText.removeAll() }
      rawEndText.append(byte)
      tag.append(byte)
      // No element that we know has such a name, and no more of it is held back.
      if tag.isTooLong {
        index &+= 1
        resumeTextAfterEndTag(&index)
      }
    } else if byte.isHTMLWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
      finishRawEndTag(&index)
    } else {
      resumeTextAfterEndTag(&index)
    }
  }

  private mutating func finishRawEndTag(_ index: inout Int) {
    if rawElement == .script, script.phase == .doubleEscaped {
      script.receiveEnd(of: tag)
      resumeTextAfterEndTag(&index)
    } else if HTMLTagName(tag) == rawElement {
      tagKind = .end
      state = .tagName
      index &-= 1
    } else {
      resumeTextAfterEndTag(&index)
    }
  }

  private mutating func receiveRawStartTag(_ byte: UInt8, _ index: inout Int) {
    if byte.isASCIILetter {
      keep(byte)
      tag.append(byte)
      return
    }
    if byte.isHTMLWhitespace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
      script.receiveStart(of: tag)
    }
    state = .rawText
    index &-= 1
  }

  /// Treats the presumed beginning of a tag as text and reads the current byte again.
  private mutating func resumeText(after text: StaticString, _ index: inout Int) {
    keep(text)
    state = .rawText
    index &-= 1
  }

  private mutating func resumeTextAfterEndTag(_ index: inout Int) {
    let name = tag.byteCount > 0 ? rawEndText.bytes : []
    resumeText(after: "</", &index)
    for byte in name { keep(byte) }
  }

  private mutating func keep(_ text: StaticString) {
    text.withUTF8Buffer { for byte in $0 { keep(byte) } }
  }

  private mutating func keep(_ byte: UInt8) {
    switch rawElement {
    case .title: title.append(byte)
    case .script:
      script.receive(byte)
      if keepsScript { structuredData.append(byte) }
    default: break
    }
  }
}
