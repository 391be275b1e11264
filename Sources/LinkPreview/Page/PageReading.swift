import ParleyProtocol

/// Converts the values of a page, once its character set is known, into a preview.
struct PageReading {
  let metadata: PageMetadata
  let pageURL: WebURL
  let choice: CharacterSetChoice
  private let base: WebURL

  init(metadata: PageMetadata, pageURL: WebURL, choice: CharacterSetChoice) {
    self.metadata = metadata
    self.pageURL = pageURL
    self.choice = choice
    let decoder = PageDecoder(choice.characterSet, base: pageURL)
    base = metadata.baseURL.flatMap(decoder.url) ?? pageURL
  }

  /// Whether the rest of the page could not improve the preview.
  var isComplete: Bool {
    metadata.texts[.openGraphTitle] != nil && metadata.texts[.openGraphDescription] != nil
      && !(metadata.openGraphURLs.isEmpty && metadata.canonicalURLs.isEmpty)
      && openGraphImage != nil
  }

  func makeReport() -> PageReport {
    // Structured data is the most expensive to parse, and many pages have none.
    let declaredAddress = declaredAddress
    lazy var data = StructuredDataReading(
      scripts: metadata.structuredData.scripts, decoder, of: identity(declaredAddress))
    let address = declaredAddress ?? data.address ?? .finalAddress(pageURL)
    let members = openGraph(address)
      .filled(from: twitter(address))
      .filled(from: data.members(ranked: .structuredData, address))
      .filled(from: plain(address))
      .filled(from: data.members(ranked: .site, address))
    let embedURL = metadata.embedURLs.lazy.compactMap { decoder.url($0.text) }.first
    let siteName = text(metadata.texts[.siteName], limit: PreviewLimits.title)
    return PageReport(
      members, siteName: siteName, embedURL: embedURL, characterSet: choice.description)
  }

  private var decoder: PageDecoder { PageDecoder(choice.characterSet, base: base) }

  private func identity(_ declaredAddress: Sourced<String>?) -> PageIdentity {
    let titles = [metadata.texts[.openGraphTitle]?.text, metadata.texts[.twitterTitle]?.text]
      .compactMap { text($0, in: .attribute) }
    return PageIdentity(
      addresses: [pageURL] + [declaredAddress.flatMap { WebURL($0.value) }].compactMap(\.self),
      titles: titles + [text(metadata.title, in: .text)].compactMap(\.self))
  }

  private func text(_ value: HTMLText?, in context: CharacterReferences.Context) -> String? {
    value.flatMap { decoder.text($0, in: context, limit: PreviewLimits.title) }
  }

  private func openGraph(_ address: Sourced<String>) -> PreviewMembers {
    PreviewMembers(
      title: text(.openGraphTitle, .openGraph, limit: PreviewLimits.title), address: address,
      description: text(.openGraphDescription, .openGraph, limit: PreviewLimits.description),
      image: openGraphImage)
  }

  private func twitter(_ address: Sourced<String>) -> PreviewMembers {
    PreviewMembers(
      title: text(.twitterTitle, .twitter, limit: PreviewLimits.title), address: address,
      description: text(.twitterDescription, .twitter, limit: PreviewLimits.description),
      image: image(metadata.twitterImages, .twitter))
  }

  private func plain(_ address: Sourced<String>) -> PreviewMembers {
    let title = metadata.title.flatMap {
      decoder.text($0, in: .text, limit: PreviewLimits.title)
    }
    return PreviewMembers(
      title: title.map { Sourced($0, .plainHTML, "title element") }, address: address,
      description: text(.description, .plainHTML, limit: PreviewLimits.description),
      image: image(metadata.linkedImages, .plainHTML))
  }

  private func text(
    _ key: MetaKey, _ rank: PreviewRank, limit: Int
  ) -> Sourced<String>? {
    guard let value = metadata.texts[key] else { return nil }
    return decoder.text(value.text, in: .attribute, limit: limit)
      .map { Sourced($0, rank, value.place.description) }
  }
}

/// The addresses of the page and of its pictures.
extension PageReading {
  /// A page may declare another address on its own site, but not on another site.
  private var declaredAddress: Sourced<String>? {
    own(metadata.openGraphURLs, .openGraph) ?? own(metadata.canonicalURLs, .plainHTML)
  }

  private func own(_ candidates: [PageValue], _ rank: PreviewRank) -> Sourced<String>? {
    CandidateChoice.first(of: candidates, rank) { candidate in
      guard let url = decoder.url(candidate.text) else { return .unusable("no http or https URL") }
      guard DomainName.isSameSite(url.host, pageURL.host) else {
        return .unusable("another site's")
      }
      return .usable(url.text, candidate.place.description)
    }
  }

  private var openGraphImage: Sourced<OpenGraphImage>? {
    CandidateChoice.first(of: metadata.images.groups, .openGraph) { group in
      guard let image = image(group) else { return .unusable("no http or https URL") }
      return .usable(image, group.place)
    }
  }

  private func image(
    _ candidates: [PageValue], _ rank: PreviewRank
  ) -> Sourced<OpenGraphImage>? {
    CandidateChoice.first(of: candidates, rank) { candidate in
      guard let url = decoder.url(candidate.text) else { return .unusable("no http or https URL") }
      return .usable(OpenGraphImage(url: url.text), candidate.place.description)
    }
  }

  private func image(_ group: ImageGroups.Group) -> OpenGraphImage? {
    let secureURL = group[.imageSecureURL].flatMap { decoder.url($0.text) }?.text
    guard let url = group[.imageURL].flatMap({ decoder.url($0.text) })?.text ?? secureURL else {
      return nil
    }
    return OpenGraphImage(
      url: url, secureURL: secureURL, type: text(group[.imageType], limit: PreviewLimits.mediaType),
      width: pixels(group[.imageWidth]), height: pixels(group[.imageHeight]),
      alt: text(group[.imageAlt], limit: PreviewLimits.title))
  }

  private func text(_ value: PageValue?, limit: Int) -> String? {
    value.flatMap { decoder.text($0.text, in: .attribute, limit: limit) }
  }

  private func pixels(_ value: PageValue?) -> Int32 {
    text(value, limit: 32).map { PixelCount(leadingDigitsOf: $0).value } ?? 0
  }
}
