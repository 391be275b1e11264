/// The keys of `meta` elements that a preview may need.
enum MetaKey: String, CaseIterable {
  case openGraphTitle = "og:title"
  case openGraphDescription = "og:description"
  case openGraphURL = "og:url"
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

  /// The key that is spelt so, in upper or lower case.
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
