/// Elements with text content, which end only at their own end tag.
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
    // All but the first are outside of such an element.
    case .rawText, .data, .tagOpen, .endTagOpen, .tagName, .beforeAttributeName, .attributeName,
      .afterAttributeName, .beforeValue, .doubleQuotedValue, .singleQuotedValue, .unquotedValue,
      .selfClosing, .declarationOpen, .bogusComment, .commentStart, .commentStartDash, .comment,
      .commentDash, .commentEnd, .commentEndBang, .cdata, .cdataBracket, .cdataEnd, .plaintext:
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
      // No known element has such a long name, and no more of it is buffered.
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

  /// Treats the presumed start of a tag as text and processes the current byte again.
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
    case .base, .body, .head, .link, .meta, .textarea, .style, .xmp, .iframe, .noembed, .noframes,
      .noscript, .plaintext, .template, .svg, .math, .breakout, .other:
      break
    }
  }
}

/// The effect of a tag on the following tags.
extension HTMLTokenizer {
  mutating func startTag(_ name: HTMLTagName, isSelfClosing: Bool) -> Token {
    if foreignDepth > 0, name.breaksOutOfForeignContent { foreignDepth = 0 }
    switch name {
    case .svg, .math: if !isSelfClosing { foreignDepth &+= 1 }
    case .template: if foreignDepth == 0 { templateDepth &+= 1 }
    // In SVG these names are not HTML elements.
    case .link where foreignDepth > 0, .base where foreignDepth > 0: return .startTag(.other)
    case .plaintext where foreignDepth == 0:
      state = .plaintext
      return .endOfMarkup
    // In foreign content these are ordinary elements, and an SVG's title is not the page's.
    case _ where name.isRawText && foreignDepth == 0:
      if syntax == .html || !isSelfClosing { beginRawText(name) }
    case .base, .body, .head, .link, .meta, .title, .textarea, .script, .style, .xmp, .iframe,
      .noembed, .noframes, .noscript, .plaintext, .breakout, .other:
      break
    }
    return .startTag(name)
  }

  mutating func endTag(_ name: HTMLTagName) -> Token {
    switch name {
    case .svg, .math: foreignDepth = max(0, foreignDepth &- 1)
    case .template: if foreignDepth == 0 { templateDepth = max(0, templateDepth &- 1) }
    case .title where rawElement == .title:
      rawElement = .other
      return .title
    case .script where keepsScript:
      keepsScript = false
      rawElement = .other
      return .structuredData
    case .base, .body, .head, .link, .meta, .title, .textarea, .script, .style, .xmp, .iframe,
      .noembed, .noframes, .noscript, .plaintext, .breakout, .other:
      break
    }
    rawElement = .other
    return .endTag(name)
  }

  private static let linkedDataType = Array("application/ld+json".utf8)

  private mutating func beginRawText(_ name: HTMLTagName) {
    rawElement = name
    script = ScriptEscape()
    if name == .title { title.removeAll() }
    keepsScript = name == .script && templateDepth == 0 && attributes.type(is: Self.linkedDataType)
    if keepsScript { structuredData.removeAll() }
    state = .rawText
  }
}

/// The nesting of a script in `<!--` and `<script` (HTML §13.2.5.15–32).
///
///     plain ──"<!--"──▶ escaped ──"<script"──▶ doubleEscaped
///       ◀─────"-->"──────┘  ◀─────"</script"──────┘
///
/// In a double-escaped script, `</script>` does not end the element.
struct ScriptEscape {
  enum Phase { case plain, escaped, doubleEscaped }

  private(set) var phase = Phase.plain
  private var dashes = 0

  /// Handles `<!--`; its own dashes count towards a `-->`.
  mutating func begin() {
    phase = .escaped
    dashes = 2
  }

  /// Handles a name after `<` in the escaped phase.
  mutating func receiveStart(of name: PackedName) {
    if name == Self.scriptName { phase = .doubleEscaped }
  }

  /// Handles a name after `</` in the double-escaped phase.
  mutating func receiveEnd(of name: PackedName) {
    if name == Self.scriptName { phase = .escaped }
  }

  /// Handles a byte of the script's text.
  mutating func receive(_ byte: UInt8) {
    guard phase != .plain else { return }
    if byte == UInt8(ascii: "-") {
      dashes = min(2, dashes + 1)
    } else {
      if byte == UInt8(ascii: ">"), dashes == 2 { phase = .plain }
      dashes = 0
    }
  }

  private static let scriptName = PackedName("script")
}
