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

  private(set) var texts: [TextKey: PageValue] = [:]
  private(set) var title: HTMLText?
  private(set) var openGraphURLs: [PageValue] = []
  private(set) var canonicalURLs: [PageValue] = []
  private(set) var twitterImages: [PageValue] = []
  private(set) var linkedImages: [PageValue] = []
  private(set) var embedURLs: [PageValue] = []
  private(set) var images = ImageGroups()
  private(set) var structuredData: [HTMLText] = []
  private(set) var baseURL: HTMLText?
  private(set) var characterSet: CharacterSet?

  /// How many values of one kind are kept as candidates.
  private static let maximumCandidates = 8
  /// How many scripts of structured data are kept, and how many bytes of them in all.
  private static let maximumScripts = 16
  private static let maximumScriptBytes = 262_144
  /// How many keys one tag may have.
  private static let maximumKeys = 16

  mutating func receiveMeta(_ attributes: HTMLAttributes) {
    receiveCharacterSet(attributes)
    guard let content = attributes[.content] else { return }
    for attribute in [HTMLAttributes.Name.property, .name] {
      for key in attributes.words(of: attribute).prefix(Self.maximumKeys) where key.count <= 64 {
        let key = String(decoding: key.asciiLowercased(), as: UTF8.self)
        let place = "meta \(attribute.rawValue)=\(key)"
        receive(PageValue(text: content, place: place), for: key)
      }
    }
  }

  mutating func receiveLink(_ attributes: HTMLAttributes) {
    guard let target = attributes[.href] else { return }
    for relation in attributes.words(of: .rel).prefix(Self.maximumKeys) {
      let relation = String(decoding: relation.asciiLowercased(), as: UTF8.self)
      let value = PageValue(text: target, place: "link rel=\(relation)")
      switch relation {
      case "canonical": Self.append(value, to: &canonicalURLs)
      case "image_src": Self.append(value, to: &linkedImages)
      case "alternate", "alternative":
        if attributes.type(is: Self.embedType) { Self.append(value, to: &embedURLs) }
      default: break
      }
    }
  }

  private static let embedType = Array("application/json+oembed".utf8)

  mutating func receiveBase(_ attributes: HTMLAttributes) {
    if baseURL == nil { baseURL = attributes[.href] }
  }

  mutating func receiveTitle(_ text: HTMLText) {
    if title == nil, !text.isBlank { title = text }
  }

  /// A script that was cut short is no JSON.
  mutating func receiveStructuredData(_ script: HTMLText) {
    let kept = structuredData.reduce(0) { $0 + $1.bytes.count }
    guard structuredData.count < Self.maximumScripts, !script.isTruncated, !script.bytes.isEmpty,
      kept + script.bytes.count <= Self.maximumScriptBytes
    else { return }
    structuredData.append(script)
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

  private mutating func receive(_ content: PageValue, for key: String) {
    if let text = TextKey(rawValue: key) {
      if texts[text] == nil, !content.text.isBlank { texts[text] = content }
      return
    }
    switch key {
    case "og:url": Self.append(content, to: &openGraphURLs)
    case "twitter:image", "twitter:image:src": Self.append(content, to: &twitterImages)
    default: images.receive(content, for: key)
    }
  }

  private static func append(_ value: PageValue, to candidates: inout [PageValue]) {
    if candidates.count < maximumCandidates, !value.text.isBlank { candidates.append(value) }
  }

  /// UTF-8 when all that was kept is valid UTF-8, else windows-1252.
  var likelyCharacterSet: CharacterSet {
    let urls = openGraphURLs + canonicalURLs + twitterImages + linkedImages
    let kept = Array(texts.values) + urls + images.values
    let isUTF8 =
      (title?.isValidUTF8 ?? true) && kept.allSatisfy(\.text.isValidUTF8)
      && structuredData.allSatisfy(\.isValidUTF8)
    return isUTF8 ? .utf8 : .windows1252
  }
}
