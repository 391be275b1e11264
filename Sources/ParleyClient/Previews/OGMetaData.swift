internal import ParleyProtocol

/// A link preview: what the page behind a message's first link says of itself.
///
/// All of it is text from a stranger's page, not HTML: show it as text.
public struct OGMetaData: Sendable, Hashable {
  /// The page's title (`og:title`).
  public let title: String?
  /// The page's own address (`og:url`).
  public let url: String?
  /// A few sentences (`og:description`).
  public let desc: String?
  /// The picture (`og:image`).
  public let defaultImage: OGImage?

  /// Makes the value, for tests and previews of an application.
  public init(
    title: String? = nil, url: String? = nil, desc: String? = nil, defaultImage: OGImage? = nil
  ) {
    self.title = title
    self.url = url
    self.desc = desc
    self.defaultImage = defaultImage
  }

  init(_ tag: OpenGraphTag) {
    self.init(
      title: tag.title, url: tag.url, desc: tag.description,
      defaultImage: tag.image.map(OGImage.init))
  }
}
