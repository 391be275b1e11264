extension PageReport {
  /// Whether an oEmbed answer could make the preview better: the page points to one, and lacks a
  /// title or an image that was written for previews.
  package var isWorthCompleting: Bool {
    embedURL != nil
      && ["og:title", "og:image"].contains { member in
        origins.first { $0.member == member }.map { $0.rank < .oEmbed } ?? true
      }
  }
}
