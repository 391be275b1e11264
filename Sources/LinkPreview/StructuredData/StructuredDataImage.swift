import ParleyProtocol

/// A picture in structured data: an address, or an `ImageObject`.
struct StructuredDataImage {
  /// How many pictures of one member are looked at.
  static let maximumCount = 8

  let url: String
  let width: Int32
  let height: Int32
  let caption: String?
  let member: String

  init?(_ json: JSONNode, member: String) {
    let address = json.string ?? json["url"]?.linkedText ?? json["contentUrl"]?.linkedText
    guard let address, !address.isEmpty else { return nil }
    url = address
    width = PixelCount(json: json["width"]).value
    height = PixelCount(json: json["height"]).value
    caption = json["caption"]?.linkedText
    self.member = member
  }
}
