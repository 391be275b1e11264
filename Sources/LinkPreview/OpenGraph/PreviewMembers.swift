import ParleyProtocol

/// The members of a preview, each with its source.
struct PreviewMembers {
  var title: Sourced<String>?
  var address: Sourced<String>
  var description: Sourced<String>?
  var image: Sourced<OpenGraphImage>?

  /// These members, and `other`'s where one is missing.
  func filled(from other: @autoclosure () -> PreviewMembers) -> PreviewMembers {
    if title != nil, description != nil, image != nil { return self }
    let other = other()
    return PreviewMembers(
      title: title ?? other.title, address: address, description: description ?? other.description,
      image: image ?? other.image)
  }

  /// The preview, `nil` when there is neither title nor description nor image.
  var tag: OpenGraphTag? {
    guard title != nil || description != nil || image != nil else { return nil }
    return OpenGraphTag(
      title: title?.value, url: address.value, description: description?.value,
      image: image?.value)
  }

  /// The sources, in the order in which the tag is written.
  var origins: [PreviewOrigin] {
    [
      title?.origin(of: "og:title"), address.origin(of: "og:url"),
      description?.origin(of: "og:description"), image?.origin(of: "og:image"),
    ].compactMap { $0 }
  }
}

extension Sourced where Value == String {
  static func finalAddress(_ pageURL: WebURL) -> Self {
    Self(pageURL.text, .plainHTML, "final address")
  }
}
