/// A link preview: what a page says of itself (`og_tag` on the wire).
package struct OpenGraphTag: Sendable, Hashable {
  /// `og:title`.
  package var title: String?
  /// `og:url`.
  package var url: String?
  /// `og:description`.
  package var description: String?
  /// `og:image` with its structured properties.
  package var image: OpenGraphImage?

  package init(
    title: String? = nil, url: String? = nil, description: String? = nil,
    image: OpenGraphImage? = nil
  ) {
    self.title = title
    self.url = url
    self.description = description
    self.image = image
  }
}

/// The picture of a link preview.
package struct OpenGraphImage: Sendable, Hashable {
  /// The picture's address, http or https.
  package var url: String?
  /// The same picture over https.
  package var secureURL: String?
  /// Its media type, such as `image/png`.
  package var type: String?
  /// In pixels; 0 when the page does not say.
  package var width: Int32
  /// In pixels; 0 when the page does not say.
  package var height: Int32
  /// A description of the picture, for users who cannot see it.
  package var alt: String?

  package init(
    url: String? = nil, secureURL: String? = nil, type: String? = nil, width: Int32 = 0,
    height: Int32 = 0, alt: String? = nil
  ) {
    self.url = url
    self.secureURL = secureURL
    self.type = type
    self.width = width
    self.height = height
    self.alt = alt
  }
}
