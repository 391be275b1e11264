internal import ParleyProtocol

/// The picture of a link preview.
public struct OGImage: Sendable, Hashable {
  /// The picture's address, http or https.
  public let url: String?
  /// The same picture over https.
  public let secureURL: String?
  /// Its media type, such as `image/png`.
  public let type: String?
  /// In pixels; 0 when the page does not say.
  public let width: Int
  /// In pixels; 0 when the page does not say.
  public let height: Int
  /// A text description of the picture.
  public let alt: String?

  /// Makes the value, for tests and previews of an application.
  public init(
    url: String? = nil, secureURL: String? = nil, type: String? = nil, width: Int = 0,
    height: Int = 0, alt: String? = nil
  ) {
    self.url = url
    self.secureURL = secureURL
    self.type = type
    self.width = width
    self.height = height
    self.alt = alt
  }

  init(_ image: OpenGraphImage) {
    self.init(
      url: image.url, secureURL: image.secureURL, type: image.type, width: Int(image.width),
      height: Int(image.height), alt: image.alt)
  }
}
