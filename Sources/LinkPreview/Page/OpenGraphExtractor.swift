/// Reads a page's metadata: Open Graph, and its substitutes where it is missing.
///
/// Accepts the page's bytes in pieces of any size, and keeps a few values in constant memory; it
/// may be stopped at any byte and uses the values seen so far.
package struct OpenGraphExtractor {
  /// Whether more of the page is worth reading.
  package enum Progress: Sendable {
    /// More bytes are needed.
    case needsMore
    /// The head was complete, or the rest contains no tags.
    case finished
  }

  private let pageURL: WebURL
  private let headerCharacterSet: CharacterSet?
  private var tokenizer: HTMLTokenizer
  private var metadata = PageMetadata()
  private var state = State.sniffing([])
  private var xmlCharacterSet: CharacterSet?
  private var byteOrderMark: CharacterSet?
  private var evidentUTF16: CharacterSet?
  private var headEnds = 0

  private enum State {
    /// The first bytes, until there are enough to examine.
    case sniffing([UInt8])
    case ascii(ISO2022JPConverter)
    case utf16(UTF16Converter)
    case finished
    /// The body is not a page, for this reason.
    case unreadable(String)
  }

  /// - Parameters:
  ///   - pageURL: The address of the page, after redirects.
  ///   - contentType: The `Content-Type` of the response.
  package init(pageURL: WebURL, contentType: String?) {
    self.pageURL = pageURL
    headerCharacterSet = contentType.flatMap { CharacterSet(mediaTypeParameter: $0.utf8) }
    let syntax: HTMLTokenizer.Syntax = HTMLMediaType(contentType) == .xhtml ? .xhtml : .html
    tokenizer = HTMLTokenizer(syntax: syntax)
  }

  /// Reads the next bytes of the page.
  package mutating func receive(_ bytes: Span<UInt8>) -> Progress {
    switch state {
    case .finished, .unreadable: return .finished
    case .sniffing(var head):
      for index in bytes.indices { head.append(bytes[index]) }
      guard let sniffer = PageSniffer(head) else {
        state = .sniffing(head)
        return .needsMore
      }
      return begin(with: head, sniffer)
    case .ascii, .utf16: return bytes.withUnsafeBufferPointer { convert($0) }
    }
  }

  /// Returns the preview of the page read so far.
  package mutating func finish() -> PageReport {
    if case .sniffing(let head) = state { _ = begin(with: head, PageSniffer(whole: head)) }
    switch state {
    case .unreadable(let problem): return PageReport(problem: problem, pageURL: pageURL)
    case .sniffing, .ascii, .utf16, .finished: return reading.makeReport()
    }
  }

  private mutating func begin(with head: [UInt8], _ sniffer: PageSniffer) -> Progress {
    byteOrderMark = sniffer.byteOrderMark
    xmlCharacterSet = sniffer.xmlCharacterSet
    evidentUTF16 = sniffer.evidentUTF16
    let certain = byteOrderMark ?? headerCharacterSet ?? evidentUTF16
    if let problem = sniffer.problem(in: certain) {
      state = .unreadable(problem)
      return .finished
    }
    if certain == .utf16BigEndian || certain == .utf16LittleEndian, let certain {
      state = .utf16(UTF16Converter(certain))
    } else {
      state = .ascii(ISO2022JPConverter())
    }
    return head.withUnsafeBufferPointer { convert($0) }
  }

  private mutating func convert(_ bytes: UnsafeBufferPointer<UInt8>) -> Progress {
    var converted: [UInt8] = []
    switch state {
    case .utf16(var converter):
      converter.convert(bytes.span, into: &converted)
      state = .utf16(converter)
    case .ascii(var converter):
      if converter.leavesUnchanged(bytes) { return tokenize(bytes) }
      converter.convert(bytes, into: &converted)
      state = .ascii(converter)
    case .sniffing, .finished, .unreadable: return .finished
    }
    return converted.withUnsafeBufferPointer { tokenize($0) }
  }

  private mutating func tokenize(_ bytes: UnsafeBufferPointer<UInt8>) -> Progress {
    var index = 0
    while let token = tokenizer.next(in: bytes, at: &index) {
      if receive(token) == .finished {
        state = .finished
        return .finished
      }
    }
    return .needsMore
  }

  private mutating func receive(_ token: HTMLTokenizer.Token) -> Progress {
    if token == .endOfMarkup { return .finished }
    if tokenizer.isInTemplate { return .needsMore }
    switch token {
    case .startTag(.meta): metadata.receiveMeta(tokenizer.attributes)
    case .startTag(.link): metadata.receiveLink(tokenizer.attributes)
    case .startTag(.base): metadata.receiveBase(tokenizer.attributes)
    case .title: metadata.receiveTitle(tokenizer.title)
    case .structuredData: metadata.receiveStructuredData(tokenizer.structuredData)
    case .endTag(.head), .startTag(.body):
      // Tags in the body count, but they add nothing to a complete head. A valid page has one end
      // of the head and one body; for a page with many bodies, this is not checked again.
      headEnds = min(headEnds + 1, 3)
      if headEnds <= 2, reading.isComplete { return .finished }
    case .startTag, .endTag, .endOfMarkup: break
    }
    return .needsMore
  }

  /// The number of bytes of the page in memory; at most ``maximumRetainedByteCount``.
  var retainedByteCount: Int { metadata.retainedByteCount + tokenizer.retainedByteCount }

  /// The sum of the limits on single values, in bytes.
  static let maximumRetainedByteCount = 4_194_304

  private var reading: PageReading {
    PageReading(metadata: metadata, pageURL: pageURL, choice: characterSetChoice)
  }

  private var characterSetChoice: CharacterSetChoice {
    let named: [(CharacterSet?, CharacterSetChoice.Authority)] = [
      (byteOrderMark, .byteOrderMark), (headerCharacterSet, .header),
      (evidentUTF16, .guess), (metadata.characterSet?.asReadInTag, .meta),
      (xmlCharacterSet?.asReadInTag, .xmlDeclaration),
    ]
    for case (let characterSet?, let authority) in named {
      return CharacterSetChoice(characterSet: characterSet, authority: authority)
    }
    return CharacterSetChoice(characterSet: metadata.likelyCharacterSet, authority: .guess)
  }
}

/// The media types parsed as pages.
package enum HTMLMediaType: Sendable, Hashable {
  case html, xhtml

  /// Parses a `Content-Type`; `nil` for all other types and if there is none.
  package init?(_ contentType: String?) {
    guard let contentType else { return nil }
    let essence = Array(contentType.utf8.prefix { $0 != UInt8(ascii: ";") })
    switch String(decoding: essence.trimmingASCIIWhitespace().asciiLowercased(), as: UTF8.self) {
    case "text/html": self = .html
    case "application/xhtml+xml": self = .xhtml
    default: return nil
    }
  }
}
