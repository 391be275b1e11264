import ParleyProtocol

/// A link preview as stored.
struct StoredOpenGraphTag: StoredObject {
  var title: String?
  var url: String?
  var description: String?
  var image: StoredOpenGraphImage?

  init() {}

  init(_ tag: OpenGraphTag) {
    title = tag.title
    url = tag.url
    description = tag.description
    image = tag.image.map(StoredOpenGraphImage.init)
  }

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.member("description", &description)
    try members.member("image", &image)
    try members.member("title", &title)
    try members.member("url", &url)
  }

  var tag: OpenGraphTag {
    OpenGraphTag(title: title, url: url, description: description, image: image?.image)
  }
}

/// The picture of a link preview as stored.
struct StoredOpenGraphImage: StoredObject {
  var url: String?
  var secureURL: String?
  var type: String?
  var width: Int32 = 0
  var height: Int32 = 0
  var alt: String?
  var originURL: String?

  init() {}

  init(_ image: OpenGraphImage) {
    originURL = image.originURL
    url = image.url
    secureURL = image.secureURL
    type = image.type
    width = image.width
    height = image.height
    alt = image.alt
  }

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.member("alt", &alt)
    try members.required("height", &height)
    try members.member("originURL", &originURL)
    try members.member("secureURL", &secureURL)
    try members.member("type", &type)
    try members.member("url", &url)
    try members.required("width", &width)
  }

  var image: OpenGraphImage {
    OpenGraphImage(
      url: url, secureURL: secureURL, type: type, width: width, height: height, alt: alt,
      originURL: originURL)
  }
}
