/// The values of a page that a preview may need, in document order and not yet decoded.
///
/// How many are kept is bounded, so a page of nothing but tags costs no more than another.
struct PageMetadata {
  /// A text of which the first value that is not blank counts.
  enum TextKey: String {
    case openGraphTitle = "og:title"
    case twitterTitle = "twitter:title"
    case openGraphDescription = "og:description"
    case twitterDescription = "twitter:description"
    case description = "description"
  }

  private(set) var texts: [TextKey: HTMLText] = [:]
  private(set) var title: HTMLText?
  private(set) var openGraphURLs: [HTMLText] = []
  private(set) var canonicalURLs: [HTMLText] = []
  private(set) var twitterImages: [HTMLText] = []
  private(set) var linkedImages: [HTMLText] = []
  private(set) var images = ImageGroups()
  private(set) var baseURL: HTMLText?
  private(set) var characterSet: CharacterSet?

  /// How many values of one kind are kept as candidates.
  private static let maximumCandidates = 8
  /// How many keys one tag may have.
  private static let maximumKeys = 16

  mutating func receiveMeta(_ attributes: HTMLAttributes) {
    receiveCharacterSet(attributes)
    guard let content = attributes[.content] else { return }
    let keys = [attributes[.property], attributes[.name]].compactMap { $0 }.flatMap {
      $0.bytes.split(whereSeparator: \.isHTMLWhitespace).prefix(Self.maximumKeys)
    }
    for key in keys where key.count <= 64 {
      receive(content, for: String(decoding: key.asciiLowercased(), as: UTF8.self))
    }
  }

  mutating func receiveLink(_ attributes: HTMLAttributes) {
    guard let target = attributes[.href], let relations = attributes[.rel] else { return }
    for relation in relations.bytes.split(whereSeparator: \.isHTMLWhitespace).prefix(16) {
      switch String(decoding: relation.asciiLowercased(), as: UTF8.self) {
      case "canonical": Self.append(target, to: &canonicalURLs)
      case "image_src": Self.append(target, to: &linkedImages)
      default: break
      }
    }
  }

  mutating func receiveBase(_ attributes: HTMLAttributes) {
    if baseURL == nil { baseURL = attributes[.href] }
  }

  mutating func receiveTitle(_ text: HTMLText) {
    if title == nil, !text.isBlank { title = text }
  }

  private mutating func receiveCharacterSet(_ attributes: HTMLAttributes) {
    guard characterSet == nil else { return }
    if let label = attributes[.charset] {
      characterSet = CharacterSet(label: label.bytes)
    } else if let content = attributes[.content], let pragma = attributes[.httpEquiv],
      pragma.bytes.trimmingASCIIWhitespace().asciiLowercased().elementsEqual("content-type".utf8)
    {
      characterSet = CharacterSet(mediaTypeParameter: content.bytes.prefix(256))
    }
  }

  private mutating func receive(_ content: HTMLText, for key: String) {
    if let text = TextKey(rawValue: key) {
      if texts[text] == nil, !content.isBlank { texts[text] = content }
      return
    }
    switch key {
    case "og:url": Self.append(content, to: &openGraphURLs)
    case "twitter:image", "twitter:image:src": Self.append(content, to: &twitterImages)
    default: images.receive(content, for: key)
    }
  }

  private static func append(_ value: HTMLText, to candidates: inout [HTMLText]) {
    if candidates.count < maximumCandidates, !value.isBlank { candidates.append(value) }
  }

  /// UTF-8 when all that was kept is valid UTF-8, else windows-1252.
  var likelyCharacterSet: CharacterSet {
    let urls = openGraphURLs + canonicalURLs + twitterImages + linkedImages
    let kept = Array(texts.values) + [title].compactMap { $0 } + urls + images.values
    return kept.allSatisfy(\.isValidUTF8) ? .utf8 : .windows1252
  }
}
