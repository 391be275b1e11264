extension OpenGraphTag {
  /// Writes the preview; what is not known is `null`.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("og:title", orNull: title)
      $0.member("og:url", orNull: url)
      $0.member("og:description", orNull: description)
      $0.name("og:image")
      if let image { image.encode(into: &$0) } else { $0.null() }
    }
  }

  /// Reads a preview, passing over what is not as expected; `nil` when it is no object.
  package init?(json: JSONNode) {
    guard json.kind == .object else { return nil }
    self.init(
      title: json["og:title"]?.string, url: json["og:url"]?.string,
      description: json["og:description"]?.string,
      image: json["og:image"].flatMap(OpenGraphImage.init(json:)))
  }
}

extension OpenGraphImage {
  /// Writes the picture; what is not known is `null`, and 0 for a size.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", orNull: url)
      $0.member("secure_url", orNull: secureURL)
      $0.member("type", orNull: type)
      $0.member("width", Int64(width))
      $0.member("height", Int64(height))
      $0.member("alt", orNull: alt)
    }
  }

  /// Reads a picture, passing over what is not as expected; `nil` when it is no object.
  package init?(json: JSONNode) {
    guard json.kind == .object else { return nil }
    self.init(
      url: json["url"]?.string, secureURL: json["secure_url"]?.string,
      type: json["type"]?.string, width: Self.pixels(json["width"]),
      height: Self.pixels(json["height"]), alt: json["alt"]?.string)
  }

  private static func pixels(_ node: JSONNode?) -> Int32 {
    max(0, node?.integer.flatMap(Int32.init(exactly:)) ?? 0)
  }
}
