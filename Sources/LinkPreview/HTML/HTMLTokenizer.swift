/// Finds the tags of a page by the rules of HTML's tokenizer (HTML §13.2.5), in constant memory.
///
/// Builds no tree. Of the tree construction rules it applies the few that determine what is a tag:
/// elements with text content, templates, and foreign content (SVG and MathML). Bytes are not
/// decoded: all characters of HTML's syntax are the same single bytes in every character set that
/// is not converted beforehand.
struct HTMLTokenizer {
  /// A token of the page.
  enum Token: Equatable {
    /// A start tag; its attributes are in ``HTMLTokenizer/attributes``.
    case startTag(HTMLTagName)
    case endTag(HTMLTagName)
    /// The end of a title element; its content is in ``HTMLTokenizer/title``.
    case title
    /// The end of a JSON-LD script; its text is in ``HTMLTokenizer/structuredData``.
    case structuredData
    /// There are no further tags (`plaintext`).
    case endOfMarkup
  }

  /// Whether a `/` at the end of a tag makes the element empty.
  enum Syntax { case html, xhtml }

  init(syntax: Syntax = .html) { self.syntax = syntax }

  /// The attributes of the last start tag; empty for elements without attributes of interest.
  var attributes = HTMLAttributes()
  /// The content of the last title element.
  var title = HTMLText(limit: Self.maximumTitleLength)
  /// The text of the last JSON-LD script.
  var structuredData = HTMLText(limit: Self.maximumScriptLength)
  /// Whether the tag or text just found is inside a template.
  var isInTemplate: Bool { templateDepth > 0 }

  /// Room for 1,024 characters, each written as a numeric reference.
  static let maximumTitleLength = 16_384

  /// Longer scripts are truncated.
  static let maximumScriptLength = 131_072

  let syntax: Syntax
  var state = State.data
  var tag = PackedName()
  var tagKind = TagKind.start
  var attributeName = PackedName()
  var isRecordingAttributes = false
  var rawElement = HTMLTagName.other
  var script = ScriptEscape()
  var keepsScript = false
  var templateDepth = 0
  var foreignDepth = 0
  var declaration = PackedName()
  var isSelfClosing = false
  var rawEndText = HTMLText(limit: 32)

  /// The state of the tokenizer.
  enum State {
    case data, tagOpen, endTagOpen, tagName
    case beforeAttributeName, attributeName, afterAttributeName
    case beforeValue, doubleQuotedValue, singleQuotedValue, unquotedValue
    case selfClosing
    case declarationOpen, bogusComment
    case commentStart, commentStartDash, comment, commentDash, commentEnd, commentEndBang
    case cdata, cdataBracket, cdataEnd
    case rawText, rawLessThan, rawEndTag, rawBang, rawBangDash, rawStartTag
    case plaintext
  }

  enum TagKind { case start, end }

  /// The number of bytes of the page in memory.
  var retainedByteCount: Int {
    attributes.retainedByteCount + title.bytes.count + structuredData.bytes.count
  }

  /// Continues with `bytes` from `index` until a token is complete or the bytes are consumed.
  mutating func next(in bytes: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Token? {
    while index < bytes.count {
      skipUninteresting(bytes, &index)
      guard index < bytes.count else { return nil }
      let byte = bytes[index]
      index &+= 1
      if let token = step(byte, &index) { return token }
    }
    return nil
  }

  private mutating func step(_ byte: UInt8, _ index: inout Int) -> Token? {
    switch state {
    case .data: state = byte == UInt8(ascii: "<") ? .tagOpen : .data
    case .tagOpen: receiveTagOpen(byte, &index)
    case .endTagOpen: receiveEndTagOpen(byte)
    case .tagName, .beforeAttributeName, .attributeName, .afterAttributeName, .selfClosing,
      .beforeValue, .doubleQuotedValue, .singleQuotedValue, .unquotedValue:
      return receiveInTag(byte, &index)
    case .declarationOpen, .bogusComment, .commentStart, .commentStartDash, .comment,
      .commentDash, .commentEnd, .commentEndBang, .cdata, .cdataBracket, .cdataEnd:
      receiveInDeclaration(byte, &index)
    case .rawText, .rawLessThan, .rawEndTag, .rawBang, .rawBangDash, .rawStartTag:
      receiveInRawText(byte, &index)
    case .plaintext: break
    }
    return nil
  }

  private mutating func receiveTagOpen(_ byte: UInt8, _ index: inout Int) {
    switch byte {
    case UInt8(ascii: "!"):
      declaration = PackedName()
      state = .declarationOpen
    case UInt8(ascii: "/"): state = .endTagOpen
    case UInt8(ascii: "?"): state = .bogusComment
    case _ where byte.isASCIILetter: beginTag(.start, byte)
    default:
      state = .data
      index &-= 1
    }
  }

  private mutating func receiveEndTagOpen(_ byte: UInt8) {
    if byte.isASCIILetter {
      beginTag(.end, byte)
    } else {
      state = byte == UInt8(ascii: ">") ? .data : .bogusComment
    }
  }

  mutating func beginTag(_ kind: TagKind, _ byte: UInt8) {
    tagKind = kind
    tag = PackedName()
    tag.append(byte)
    state = .tagName
  }
}
