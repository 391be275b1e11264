package import ParleyProtocol

/// The result of reading a page: its preview and the source of each part, or the problem.
package struct PageReport: Sendable, Hashable {
  /// The preview; `nil` when the page has neither title nor description nor image.
  package var tag: OpenGraphTag?
  /// The name that the page gives its site, which is no part of the tag; `nil` without a tag.
  package var siteName: String?
  /// The source of each member of the tag, in the tag's order.
  package var origins: [PreviewOrigin]
  /// The absolute URL of the page's oEmbed description as JSON; `nil` if there is none.
  package var embedURL: WebURL?
  /// The reason why there is no tag, as text.
  package var problem: String?
  /// The character set used, by its WHATWG name, and what named it: for people.
  package var characterSet: String

  /// The address that the page gives itself, for a tag made of an oEmbed answer.
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

  /// A body that could not be read as a page.
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
  /// Its source, such as `meta property=og:title`, `title element` or `final address`; with a note
  /// when better placed candidates were passed over.
  package let source: String
  let rank: PreviewRank

  init(member: String, source: String, rank: PreviewRank) {
    self.member = member
    self.source = source
    self.rank = rank
  }

  /// An origin that another source reported: nothing is ranked after it.
  package init(member: String, source: String) {
    self.init(member: member, source: source, rank: .site)
  }
}

/// How far a source is believed: what was written for previews first, what was written for other
/// ends last.
enum PreviewRank: Sendable, Hashable, Comparable {
  /// Structured data about the site as a whole.
  case site
  case plainHTML, oEmbed, structuredData, twitter, openGraph
}
