/// What a node of structured data describes, as far as previews care.
enum SchemaType: Int, Comparable {
  /// The thing that the page is about.
  case subject
  /// The page itself.
  case page
  /// The site, or who is behind it: true of every page, and so hardly of this one.
  case site

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

  /// The kind for a schema.org type, `nil` for those that a preview never shows (breadcrumbs,
  /// search actions, offers, reviews …).
  init?(name: some StringProtocol) {
    let name = String(name)
    guard let known = Self.byName[name] ?? Self.bySuffix(name) else { return nil }
    self = known
  }

  private static func bySuffix(_ name: String) -> SchemaType? {
    if name.hasSuffix("Article") || name.hasSuffix("Event") { return .subject }
    if name.hasSuffix("Page") { return .page }
    return name.hasSuffix("Organization") ? .site : nil
  }

  private static let byName: [String: SchemaType] = {
    var types: [String: SchemaType] = [:]
    for name in subjects.split(separator: " ") { types[String(name)] = .subject }
    for name in sites.split(separator: " ") { types[String(name)] = .site }
    return types
  }()

  private static let subjects = """
    APIReference Apartment Audiobook AudioObject BlogPosting Book Car Clip \
    Comic Course CreativeWork Dataset DiscussionForumPosting Episode Festival Game HowTo \
    IndividualProduct JobPosting LearningResource LiveBlogPosting MobileApplication Movie \
    MusicAlbum MusicPlaylist MusicRecording PodcastEpisode PodcastSeries Product ProductGroup \
    ProductModel Quiz RealEstateListing Recipe Report SocialMediaPosting SoftwareApplication \
    SoftwareSourceCode TVEpisode TVSeason TVSeries Thesis TouristAttraction TouristTrip Vehicle \
    VideoGame VideoObject VisualArtwork WebApplication
    """

  private static let sites = """
    Blog Brand Corporation GovernmentOffice Hotel LocalBusiness OnlineStore Person Restaurant \
    Store WebSite
    """
}
