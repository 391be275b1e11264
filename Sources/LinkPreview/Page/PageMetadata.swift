/// The values of a page that a preview may need, in document order and undecoded.
///
/// Their number is bounded, so a page with only tags costs no more than any other.
struct PageMetadata {
  /// Texts, of which the first non-empty one counts.
  private(set) var texts: [MetaKey: PageValue] = [:]
  private(set) var title: HTMLText?
  private(set) var openGraphURLs: [PageValue] = []
  private(set) var canonicalURLs: [PageValue] = []
  private(set) var twitterImages: [PageValue] = []
  private(set) var linkedImages: [PageValue] = []
  private(set) var embedURLs: [PageValue] = []
  private(set) var images = ImageGroups()
  private(set) var structuredData = StructuredDataScripts()
  private(set) var baseURL: HTMLText?
  private(set) var characterSet: CharacterSet?

  /// The maximum number of candidates of one kind.
  private static let maximumCandidates = 8
  /// The maximum length of an address, in bytes as received.
  static let maximumAddressLength = 16_384

  mutating func receiveMeta(_ attributes: HTMLAttributes) {
    receiveCharacterSet(attributes)
    guard let content = attributes[.content] else { return }
    for attribute in [HTMLAttributes.Name.property, .name] {
      attributes.forEachWord(of: attribute) { word in
        guard let key = MetaKey(word) else { return }
        receive(PageValue(text: content, place: .meta(attribute, key)), for: key)
      }
    }
  }

  mutating func receiveLink(_ attributes: HTMLAttributes) {
    guard let target = attributes[.href] else { return }
    attributes.forEachWord(of: .rel) { word in
      guard let relation = LinkRelation(word) else { return }
      let value = PageValue(text: target, place: .link(relation))
      switch relation {
      case .canonical: Self.append(value, to: &canonicalURLs)
      case .imageSource: Self.append(value, to: &linkedImages)
      case .alternate:
        if attributes.type(is: Self.embedType) { Self.append(value, to: &embedURLs) }
      }
    }
  }

  private static let embedType = Array("application/json+oembed".utf8)

  mutating func receiveBase(_ attributes: HTMLAttributes) {
    if baseURL == nil { baseURL = attributes[.href] }
  }

  mutating func receiveTitle(_ text: HTMLText) {
    if title == nil, !text.saysNothing { title = text }
  }

  mutating func receiveStructuredData(_ script: HTMLText) { structuredData.receive(script) }

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

  private mutating func receive(_ value: PageValue, for key: MetaKey) {
    switch key {
    case .openGraphTitle, .openGraphDescription, .siteName, .twitterTitle, .twitterDescription,
      .description:
      if texts[key] == nil, !value.text.saysNothing { texts[key] = value }
    case .openGraphURL: Self.append(value, to: &openGraphURLs)
    case .twitterImage, .twitterImageSource: Self.append(value, to: &twitterImages)
    case .image: images.receiveImage(value)
    case .imageURL, .imageSecureURL, .imageType, .imageWidth, .imageHeight, .imageAlt:
      images.receive(key, value)
    }
  }

  private static func append(_ value: PageValue, to candidates: inout [PageValue]) {
    guard candidates.count < maximumCandidates, value.text.bytes.count <= maximumAddressLength,
      !value.text.saysNothing
    else { return }
    candidates.append(value)
  }
}

extension PageMetadata {
  /// UTF-8 if all stored values are valid UTF-8, otherwise windows-1252.
  var likelyCharacterSet: CharacterSet {
    kept.allSatisfy(\.isValidUTF8) ? .utf8 : .windows1252
  }

  /// The number of bytes of the page in memory.
  var retainedByteCount: Int { kept.reduce(baseURL?.bytes.count ?? 0) { $0 + $1.bytes.count } }

  private var kept: [HTMLText] {
    let addresses = openGraphURLs + canonicalURLs + twitterImages + linkedImages + embedURLs
    let values = Array(texts.values) + addresses + images.values
    return [title].compactMap { $0 } + values.map(\.text) + structuredData.scripts
  }
}

/// An undecoded value of a page, and its place.
struct PageValue: Hashable {
  /// A kind of place for values.
  enum Place: Hashable {
    /// A `meta` element with this key in this attribute.
    case meta(HTMLAttributes.Name, MetaKey)
    case link(LinkRelation)
  }

  let text: HTMLText
  let place: Place
}

extension PageValue.Place: CustomStringConvertible {
  var description: String {
    switch self {
    case .meta(let attribute, let key): "meta \(attribute.text)=\(key.rawValue)"
    case .link(let relation): "link rel=\(relation.rawValue)"
    }
  }
}

/// The keys of `meta` elements that a preview may need.
enum MetaKey: String, CaseIterable {
  case openGraphTitle = "og:title"
  case openGraphDescription = "og:description"
  case openGraphURL = "og:url"
  case siteName = "og:site_name"
  case image = "og:image"
  case imageURL = "og:image:url"
  case imageSecureURL = "og:image:secure_url"
  case imageType = "og:image:type"
  case imageWidth = "og:image:width"
  case imageHeight = "og:image:height"
  case imageAlt = "og:image:alt"
  case twitterTitle = "twitter:title"
  case twitterDescription = "twitter:description"
  case twitterImage = "twitter:image"
  case twitterImageSource = "twitter:image:src"
  case description = "description"

  /// Parses a key, in upper or lower case.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.count < Self.byLength.count else { return nil }
    for (spelling, key) in Self.byLength[text.count] {
      if text.elementsEqual(spelling, by: { $0.asciiLowercased == $1 }) {
        self = key
        return
      }
    }
    return nil
  }

  private static let byLength: [[(spelling: [UInt8], key: MetaKey)]] = {
    var byLength: [[([UInt8], MetaKey)]] = Array(repeating: [], count: 24)
    for key in allCases {
      let spelling = Array(key.rawValue.utf8)
      byLength[spelling.count].append((spelling, key))
    }
    return byLength
  }()
}

/// The relations of `link` elements that a preview may need.
enum LinkRelation: String, CaseIterable {
  case canonical, alternate
  case imageSource = "image_src"

  /// Parses a relation, in upper or lower case.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.count <= 16 else { return nil }
    var name = PackedName()
    for byte in text { name.append(byte) }
    guard let known = Self.byName[name] else { return nil }
    self = known
  }

  private static let byName = NameTable(allCases.map { ($0.rawValue, $0) })
}
