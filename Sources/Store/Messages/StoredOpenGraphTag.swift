import ParleyProtocol

/// A link preview as stored.
struct StoredOpenGraphTag: StoredValue {
  var title: String?
  var url: String?
  var description: String?
  var image: StoredOpenGraphImage?

  init(_ tag: OpenGraphTag) {
    title = tag.title
    url = tag.url
    description = tag.description
    image = tag.image.map(StoredOpenGraphImage.init)
  }

  init(stored node: JSONNode) throws(StoredShapeError) {
    title = try node.stored("title")
    url = try node.stored("url")
    description = try node.stored("description")
    image = try node.stored("image")
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.stored("description", description)
      $0.stored("image", image)
      $0.stored("title", title)
      $0.stored("url", url)
    }
  }

  var tag: OpenGraphTag {
    OpenGraphTag(title: title, url: url, description: description, image: image?.image)
  }
}

/// The picture of a link preview as stored.
struct StoredOpenGraphImage: StoredValue {
  var url: String?
  var secureURL: String?
  var type: String?
  var width: Int32
  var height: Int32
  var alt: String?
  var originURL: String?

  init(_ image: OpenGraphImage) {
    originURL = image.originURL
    url = image.url
    secureURL = image.secureURL
    type = image.type
    width = image.width
    height = image.height
    alt = image.alt
  }

  init(stored node: JSONNode) throws(StoredShapeError) {
    url = try node.stored("url")
    secureURL = try node.stored("secureURL")
    type = try node.stored("type")
    width = try node.storedAlways("width")
    height = try node.storedAlways("height")
    alt = try node.stored("alt")
    originURL = try node.stored("originURL")
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.stored("alt", alt)
      $0.stored("height", height)
      $0.stored("originURL", originURL)
      $0.stored("secureURL", secureURL)
      $0.stored("type", type)
      $0.stored("url", url)
      $0.stored("width", width)
    }
  }

  var image: OpenGraphImage {
    OpenGraphImage(
      url: url, secureURL: secureURL, type: type, width: width, height: height, alt: alt,
      originURL: originURL)
  }
}
