import ParleyProtocol

/// Turns the values of a page, once its character set is known, into a preview.
struct PageReading {
  let metadata: PageMetadata
  let pageURL: WebURL
  let choice: CharacterSetChoice

  /// Whether nothing that follows could make the preview better.
  var isComplete: Bool {
    metadata.texts[.openGraphTitle] != nil && metadata.texts[.openGraphDescription] != nil
      && !(metadata.openGraphURLs.isEmpty && metadata.canonicalURLs.isEmpty)
      && openGraphImage != nil
  }

  func makeReport() -> PageReport {
    let members = PreviewMembers(
      title: title, address: address, description: description, image: image)
    let embedURL = metadata.embedURLs.lazy.compactMap { url($0.text) }.first
    return PageReport(members, embedURL: embedURL, characterSet: choice.description)
  }

  private var title: Sourced<String>? {
    text(.openGraphTitle, .openGraph, limit: PreviewLimits.title)
      ?? text(.twitterTitle, .twitter, limit: PreviewLimits.title)
      ?? text(metadata.title, in: .text, limit: PreviewLimits.title)
      .map { Sourced($0, .plainHTML, "title element") }
  }

  private var description: Sourced<String>? {
    text(.openGraphDescription, .openGraph, limit: PreviewLimits.description)
      ?? text(.twitterDescription, .twitter, limit: PreviewLimits.description)
      ?? text(.description, .plainHTML, limit: PreviewLimits.description)
  }

  /// A page may name another address of its own site, not one of somebody else's.
  private var address: Sourced<String> {
    own(metadata.openGraphURLs, .openGraph) ?? own(metadata.canonicalURLs, .plainHTML)
      ?? .finalAddress(pageURL)
  }

  private func own(_ candidates: [PageValue], _ rank: PreviewRank) -> Sourced<String>? {
    var choice = CandidateChoice(rank)
    for candidate in candidates {
      guard let url = url(candidate.text) else {
        choice.passOver("no http or https URL")
        continue
      }
      if DomainName.isSameSite(url.host, pageURL.host) {
        return choice.take(url.text, from: candidate.place)
      }
      choice.passOver("another site's")
    }
    return nil
  }

  private var image: Sourced<OpenGraphImage>? {
    openGraphImage ?? plainImage(metadata.twitterImages, .twitter)
      ?? plainImage(metadata.linkedImages, .plainHTML)
  }

  private var openGraphImage: Sourced<OpenGraphImage>? {
    var choice = CandidateChoice(.openGraph)
    for group in metadata.images.groups {
      if let image = image(group) { return choice.take(image, from: group.place) }
      choice.passOver("no http or https URL")
    }
    return nil
  }

  private func plainImage(
    _ candidates: [PageValue], _ rank: PreviewRank
  ) -> Sourced<OpenGraphImage>? {
    var choice = CandidateChoice(rank)
    for candidate in candidates {
      if let url = url(candidate.text) {
        return choice.take(OpenGraphImage(url: url.text), from: candidate.place)
      }
      choice.passOver("no http or https URL")
    }
    return nil
  }

  private func image(_ group: ImageGroups.Group) -> OpenGraphImage? {
    let secureURL = group[.secureURL].flatMap { url($0.text) }?.text
    guard let url = group[.url].flatMap({ url($0.text) })?.text ?? secureURL else { return nil }
    return OpenGraphImage(
      url: url, secureURL: secureURL,
      type: text(group[.type]?.text, in: .attribute, limit: PreviewLimits.mediaType),
      width: pixels(group[.width]), height: pixels(group[.height]),
      alt: text(group[.alt]?.text, in: .attribute, limit: PreviewLimits.title))
  }

  private func pixels(_ value: PageValue?) -> Int32 {
    text(value?.text, in: .attribute, limit: 32).map(PixelCount.leadingDigits(of:)) ?? 0
  }
}

/// Out of bytes, text and addresses.
extension PageReading {
  private func text(
    _ key: PageMetadata.TextKey, _ rank: PreviewRank, limit: Int
  ) -> Sourced<String>? {
    guard let value = metadata.texts[key] else { return nil }
    return text(value.text, in: .attribute, limit: limit).map { Sourced($0, rank, value.place) }
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
    let text = CharacterSetDecoder.decode(value.bytes, as: choice.characterSet)
    return CharacterReferences.decode(text, in: context)
  }
}
