import ParleyProtocol

/// Turns the values of a page, once its character set is known, into a preview.
struct PageReading {
  let metadata: PageMetadata
  let pageURL: WebURL
  let characterSet: CharacterSet

  private static let maximumTitleLength = 1_024
  private static let maximumDescriptionLength = 4_096
  private static let maximumTypeLength = 128

  /// Whether nothing that follows could make the preview better.
  var isComplete: Bool {
    metadata.texts[.openGraphTitle] != nil && metadata.texts[.openGraphDescription] != nil
      && !(metadata.openGraphURLs.isEmpty && metadata.canonicalURLs.isEmpty)
      && openGraphImage != nil
  }

  /// The preview, `nil` when there is neither title nor description nor image.
  func makeTag() -> OpenGraphTag? {
    let title = self.title
    let description = self.description
    let image = openGraphImage ?? plainImage
    guard title != nil || description != nil || image != nil else { return nil }
    return OpenGraphTag(title: title, url: address, description: description, image: image)
  }

  private var title: String? {
    attributeText(.openGraphTitle, limit: Self.maximumTitleLength)
      ?? attributeText(.twitterTitle, limit: Self.maximumTitleLength)
      ?? text(metadata.title, in: .text, limit: Self.maximumTitleLength)
  }

  private var description: String? {
    let keys: [PageMetadata.TextKey] = [.openGraphDescription, .twitterDescription, .description]
    return keys.lazy.compactMap { attributeText($0, limit: Self.maximumDescriptionLength) }.first
  }

  /// A page may name another address of its own site, not one of somebody else's.
  private var address: String {
    let candidates = metadata.openGraphURLs + metadata.canonicalURLs
    let own = candidates.lazy.compactMap(url).first {
      DomainName.isSameSite($0.host, pageURL.host)
    }
    return (own ?? pageURL).text
  }

  private var openGraphImage: OpenGraphImage? {
    metadata.images.groups.lazy.compactMap(image).first
  }

  private var plainImage: OpenGraphImage? {
    let candidates = metadata.twitterImages + metadata.linkedImages
    return candidates.lazy.compactMap(url).first.map { OpenGraphImage(url: $0.text) }
  }

  private func image(_ group: ImageGroups.Group) -> OpenGraphImage? {
    let secureURL = group[.secureURL].flatMap(url)?.text
    guard let url = group[.url].flatMap(url)?.text ?? secureURL else { return nil }
    return OpenGraphImage(
      url: url, secureURL: secureURL,
      type: text(group[.type], in: .attribute, limit: Self.maximumTypeLength),
      width: pixels(group[.width]), height: pixels(group[.height]),
      alt: text(group[.alt], in: .attribute, limit: Self.maximumTitleLength))
  }

  private func pixels(_ value: HTMLText?) -> Int32 {
    guard let text = text(value, in: .attribute, limit: 32) else { return 0 }
    return Int32(String(text.prefix { $0.isASCII && $0.isNumber })) ?? 0
  }

  private func attributeText(_ key: PageMetadata.TextKey, limit: Int) -> String? {
    text(metadata.texts[key], in: .attribute, limit: limit)
  }

  private func text(
    _ value: HTMLText?, in context: CharacterReferences.Context, limit: Int
  ) -> String? {
    guard let value else { return nil }
    let text = PlainText.clean(decode(value, in: context), limit: limit)
    return text.isEmpty ? nil : text
  }

  private func url(_ value: HTMLText) -> WebURL? {
    // A URL that was cut short is another URL.
    guard !value.isTruncated else { return nil }
    return WebURL(decode(value, in: .attribute), relativeTo: base)
  }

  private var base: WebURL {
    guard let value = metadata.baseURL, !value.isTruncated else { return pageURL }
    return WebURL(decode(value, in: .attribute), relativeTo: pageURL) ?? pageURL
  }

  private func decode(_ value: HTMLText, in context: CharacterReferences.Context) -> String {
    let text = CharacterSetDecoder.decode(value.bytes, as: characterSet)
    return CharacterReferences.decode(text, in: context)
  }
}
