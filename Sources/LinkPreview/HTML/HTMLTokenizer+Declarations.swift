/// Comments, document types, processing instructions and CDATA sections: all that begins with
/// `<!` or `<?` and holds no tags.
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
      // Not a comment after all; the bytes read so far hold no `>`.
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
    // `<!-->` and `<!--->` are whole comments.
    case (.commentStart, close), (.commentStartDash, close), (.commentEnd, close),
      (.commentEndBang, close):
      state = .data
    case (.commentEnd, UInt8(ascii: "!")): state = .commentEndBang
    default: state = .comment
    }
  }
}
