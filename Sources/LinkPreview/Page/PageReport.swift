package import ParleyProtocol

/// The result of reading a page: its preview and the source of each part, or the problem.
package struct PageReport: Sendable, Hashable {
  /// The preview; `nil` if the page has no title, description or image.
  package var tag: OpenGraphTag?
  /// The page's name for its site, which is not part of the tag; `nil` without a tag.
  package var siteName: String?
  /// The source of each member of the tag, in the tag's order.
  package var origins: [PreviewOrigin]
  /// The absolute URL of the page's oEmbed description as JSON; `nil` if there is none.
  package var embedURL: WebURL?
  /// The reason why there is no tag, as text.
  package var problem: String?
  /// The character set used, by its WHATWG name, and its source, for display.
  package var characterSet: String

  /// The address declared by the page, for a tag made from an oEmbed response.
  let address: Sourced<String>
}

extension PageReport {
  init(
    _ members: PreviewMembers, siteName: String?, embedURL: WebURL?, characterSet: String
  ) {
    let tag = members.tag
    self.init(
      tag: tag, siteName: tag == nil ? nil : siteName, origins: tag == nil ? [] : members.origins,
      embedURL: embedURL,
      problem: tag == nil ? "neither title nor description nor image" : nil,
      characterSet: characterSet, address: members.address)
  }

  /// Creates a report for a body that could not be parsed as a page.
  init(problem: String, pageURL: WebURL) {
    self.init(
      tag: nil, siteName: nil, origins: [], embedURL: nil, problem: problem, characterSet: "none",
      address: .finalAddress(pageURL))
  }
}

/// The source of one member of a preview.
package struct PreviewOrigin: Sendable, Hashable {
  /// The member, such as `og:title` or `og:image`.
  package let member: String
  /// The source, such as `meta property=og:title`, `title element` or `final address`; with a note
  /// if better candidates were skipped.
  package let source: String
  let rank: PreviewRank

  init(member: String, source: String, rank: PreviewRank) {
    self.member = member
    self.source = source
    self.rank = rank
  }

  /// Creates an origin reported by another source: no origin ranks after it.
  package init(member: String, source: String) {
    self.init(member: member, source: source, rank: .site)
  }
}

/// The trust in a source: values intended for previews first, values intended for other purposes
/// last.
enum PreviewRank: Sendable, Hashable, Comparable {
  /// Structured data about the site as a whole.
  case site
  case plainHTML, oEmbed, structuredData, twitter, openGraph
}
