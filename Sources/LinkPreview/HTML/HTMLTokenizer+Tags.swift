extension HTMLTokenizer {
  /// Handles a byte from the tag's name to its closing `>`.
  mutating func receiveInTag(_ byte: UInt8, _ index: inout Int) -> Token? {
    switch state {
    case .tagName: receiveTagName(byte)
    case .attributeName: receiveAttributeName(byte)
    case .beforeValue: receiveBeforeValue(byte)
    case .unquotedValue: receiveUnquotedValue(byte)
    case .doubleQuotedValue, .singleQuotedValue:
      // All bytes before the closing quote were already skipped.
      state = .beforeAttributeName
    // All but the first three are outside of a tag.
    case .beforeAttributeName, .afterAttributeName, .selfClosing, .data, .tagOpen, .endTagOpen,
      .declarationOpen, .bogusComment, .commentStart, .commentStartDash, .comment, .commentDash,
      .commentEnd, .commentEndBang, .cdata, .cdataBracket, .cdataEnd, .rawText, .rawLessThan,
      .rawEndTag, .rawBang, .rawBangDash, .rawStartTag, .plaintext:
      receiveBetweenAttributes(byte, &index)
    }
    return byte == UInt8(ascii: ">") && state == .data ? finishTag() : nil
  }

  private mutating func receiveTagName(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: ">"): state = .data
    case UInt8(ascii: "/"): endTagName(.selfClosing)
    case _ where byte.isHTMLWhitespace: endTagName(.beforeAttributeName)
    default: tag.append(byte)
    }
  }

  private mutating func endTagName(_ next: State) {
    beginAttributes()
    state = next
  }

  private mutating func beginAttributes() {
    let name = HTMLTagName(tag)
    isRecordingAttributes = tagKind == .start && name.hasAttributesOfInterest
    if isRecordingAttributes { attributes.removeAll(for: name) }
  }

  /// Handles a byte before and after attributes, and after a `/`.
  private mutating func receiveBetweenAttributes(_ byte: UInt8, _ index: inout Int) {
    switch byte {
    case UInt8(ascii: ">"):
      isSelfClosing = state == .selfClosing
      state = .data
    case UInt8(ascii: "/"): state = .selfClosing
    case UInt8(ascii: "=") where state == .afterAttributeName: state = .beforeValue
    case _ where byte.isHTMLWhitespace:
      if state == .selfClosing { state = .beforeAttributeName }
    default:
      // Even an equals sign starts a name here.
      attributeName = PackedName()
      attributeName.append(byte)
      state = .attributeName
    }
  }

  private mutating func receiveAttributeName(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "="): endAttributeName(.beforeValue)
    case UInt8(ascii: ">"): endAttributeName(.data)
    case UInt8(ascii: "/"): endAttributeName(.selfClosing)
    case _ where byte.isHTMLWhitespace: endAttributeName(.afterAttributeName)
    default: attributeName.append(byte)
    }
  }

  private mutating func endAttributeName(_ next: State) {
    if isRecordingAttributes { attributes.begin(attributeName) }
    state = next
  }

  private mutating func receiveBeforeValue(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): state = .doubleQuotedValue
    case UInt8(ascii: "'"): state = .singleQuotedValue
    case UInt8(ascii: ">"): state = .data
    case _ where byte.isHTMLWhitespace: break
    default:
      if isRecordingAttributes { attributes.append(byte) }
      state = .unquotedValue
    }
  }

  private mutating func receiveUnquotedValue(_ byte: UInt8) {
    if byte == UInt8(ascii: ">") {
      state = .data
    } else if byte.isHTMLWhitespace {
      state = .beforeAttributeName
    } else if isRecordingAttributes {
      attributes.append(byte)
    }
  }

  private mutating func finishTag() -> Token {
    let name = HTMLTagName(tag)
    let wasSelfClosing = isSelfClosing
    isSelfClosing = false
    if tagKind == .start {
      if !isRecordingAttributes, name.hasAttributesOfInterest {
        attributes.removeAll(for: name)
      }
      isRecordingAttributes = false
      return startTag(name, isSelfClosing: wasSelfClosing)
    }
    isRecordingAttributes = false
    return endTag(name)
  }
}

/// Comments, document types, processing instructions and CDATA sections: everything that starts
/// with `<!` or `<?` and contains no tags.
extension HTMLTokenizer {
  mutating func receiveInDeclaration(_ byte: UInt8, _ index: inout Int) {
    switch state {
    case .declarationOpen: receiveDeclarationOpen(byte, &index)
    case .bogusComment: state = .data
    case .cdata: state = .cdataBracket
    case .cdataBracket: state = byte == UInt8(ascii: "]") ? .cdataEnd : .cdata
    case .cdataEnd:
      if byte != UInt8(ascii: "]") { state = byte == UInt8(ascii: ">") ? .data : .cdata }
    default: receiveInComment(byte)
    }
  }

  private mutating func receiveDeclarationOpen(_ byte: UInt8, _ index: inout Int) {
    declaration.append(byte)
    if declaration == Self.commentOpening {
      state = .commentStart
    } else if declaration == Self.cdataOpening, foreignDepth > 0 {
      state = .cdata
    } else if !Self.mayBecomeOpening(declaration) {
      // Not a comment; the bytes read so far contain no `>`.
      state = .bogusComment
      index &-= 1
    }
  }

  private static let commentOpening = PackedName("--")
  private static let cdataOpening = PackedName("[cdata[")

  private static func mayBecomeOpening(_ beginning: PackedName) -> Bool {
    beginning.begins(commentOpening) || beginning.begins(cdataOpening)
  }

  private mutating func receiveInComment(_ byte: UInt8) {
    let dash = UInt8(ascii: "-")
    let close = UInt8(ascii: ">")
    switch (state, byte) {
    case (.commentStart, dash): state = .commentStartDash
    case (.commentStartDash, dash), (.commentDash, dash), (.commentEnd, dash):
      state = .commentEnd
    case (.comment, dash), (.commentEndBang, dash): state = .commentDash
    // `<!-->` and `<!--->` are complete comments.
    case (.commentStart, close), (.commentStartDash, close), (.commentEnd, close),
      (.commentEndBang, close):
      state = .data
    case (.commentEnd, UInt8(ascii: "!")): state = .commentEndBang
    default: state = .comment
    }
  }
}
