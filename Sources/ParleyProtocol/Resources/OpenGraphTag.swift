/// A link preview: a page's own description of itself (`og_tag` on the wire).
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
  /// The width in pixels; 0 when the page does not specify it.
  package var width: Int32
  /// The height in pixels; 0 when the page does not specify it.
  package var height: Int32
  /// A description of the picture, for users who cannot see it.
  package var alt: String?
  /// The address on the page, when ``url`` is that of a copy on this server.
  package var originURL: String?

  package init(
    url: String? = nil, secureURL: String? = nil, type: String? = nil, width: Int32 = 0,
    height: Int32 = 0, alt: String? = nil, originURL: String? = nil
  ) {
    self.originURL = originURL
    self.url = url
    self.secureURL = secureURL
    self.type = type
    self.width = width
    self.height = height
    self.alt = alt
  }
}

extension OpenGraphTag {
  /// Writes the preview; unknown members are `null`.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("og:title", orNull: title)
      $0.member("og:url", orNull: url)
      $0.member("og:description", orNull: description)
      $0.name("og:image")
      if let image { image.encode(into: &$0) } else { $0.null() }
    }
  }

  /// Parses a preview, ignoring unexpected members; `nil` when the value is not an object.
  package init?(json: JSONNode) {
    guard json.kind == .object else { return nil }
    self.init(
      title: json["og:title"]?.string, url: json["og:url"]?.string,
      description: json["og:description"]?.string,
      image: json["og:image"].flatMap(OpenGraphImage.init(json:)))
  }
}

extension OpenGraphImage {
  /// Writes the picture; unknown members are `null`, and unknown sizes 0.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", orNull: url)
      $0.member("secure_url", orNull: secureURL)
      $0.member("type", orNull: type)
      $0.member("width", Int64(width))
      $0.member("height", Int64(height))
      $0.member("alt", orNull: alt)
      if let originURL { $0.member("origin_url", originURL) }
    }
  }

  /// Parses a picture, ignoring unexpected members; `nil` when the value is not an object.
  package init?(json: JSONNode) {
    guard json.kind == .object else { return nil }
    self.init(
      url: json["url"]?.string, secureURL: json["secure_url"]?.string,
      type: json["type"]?.string, width: Self.pixels(json["width"]),
      height: Self.pixels(json["height"]), alt: json["alt"]?.string,
      originURL: json["origin_url"]?.string)
  }

  private static func pixels(_ node: JSONNode?) -> Int32 {
    max(0, node?.integer.flatMap(Int32.init(exactly:)) ?? 0)
  }
}

extension OpenGraphTag {
  /// The size of the preview as JSON, in bytes.
  var byteCount: Int { JSONWriter.bytes { encode(into: &$0) }.count }

  /// The number of UTF-8 bytes in its texts.
  var textByteCount: Int {
    let image = (image?.url.byteCount ?? 0) + (image?.secureURL.byteCount ?? 0)
    let origin = self.image?.originURL.byteCount ?? 0
    let about = (image == 0 ? 0 : self.image?.type.byteCount ?? 0)
    return title.byteCount + url.byteCount + description.byteCount + image + origin + about
      + (self.image?.alt.byteCount ?? 0)
  }

  /// The preview, reduced to a size: its description is cut first, then the image's; if it is still too
  /// large, the image and address are left out and the title is cut.
  package func fitted(toBytes limit: Int) -> OpenGraphTag {
    var tag = self
    tag.shorten(\.description, limit)
    if tag.byteCount > limit { tag.image?.alt = nil }
    if tag.byteCount > limit { tag.image = nil }
    if tag.byteCount > limit { tag.url = nil }
    tag.shorten(\.title, limit)
    return tag
  }

  private mutating func shorten(_ member: WritableKeyPath<OpenGraphTag, String?>, _ limit: Int) {
    let excess = byteCount - limit
    guard excess > 0, let text = self[keyPath: member] else { return }
    let shorter = JSONSize.prefix(of: text, within: JSONSize.quoted(text) - excess)
    self[keyPath: member] = shorter.isEmpty ? nil : shorter
  }
}

extension String? {
  fileprivate var byteCount: Int { self?.utf8.count ?? 0 }
}
