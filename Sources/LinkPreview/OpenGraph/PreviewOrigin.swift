/// Where one member of a preview came from, in words for people.
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

  /// An origin that somebody else has told of: nothing is ranked behind it.
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
