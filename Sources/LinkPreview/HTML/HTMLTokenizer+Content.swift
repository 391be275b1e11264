/// The effect of a tag on the tags after it.
extension HTMLTokenizer {
  mutating func startTag(_ name: HTMLTagName, isSelfClosing: Bool) -> Token {
    if foreignDepth > 0, name.breaksOutOfForeignContent { foreignDepth = 0 }
    switch name {
    case .svg, .math: if !isSelfClosing { foreignDepth &+= 1 }
    case .template: if foreignDepth == 0 { templateDepth &+= 1 }
    // What an SVG calls so is no element of HTML's.
    case .link where foreignDepth > 0, .base where foreignDepth > 0: return .startTag(.other)
    case .plaintext where foreignDepth == 0:
      state = .plaintext
      return .endOfMarkup
    // In foreign content these are elements like any other, and an SVG's title is not the page's.
    case _ where name.isRawText && foreignDepth == 0:
      if syntax == .html || !isSelfClosing { beginRawText(name) }
    default: break
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
    default: break
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
