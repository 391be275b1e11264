package import ParleyProtocol

/// What a provider answers when asked about a page (oEmbed 1.0 §2.3.4), as far as previews care.
///
/// Texts are cleaned and cut as those of pages are; addresses are absolute, http or https.
package struct OEmbedResponse: Sendable, Hashable {
  /// The resource's title.
  package var title: String?
  /// Not in the specification, yet common.
  package var description: String?
  /// The picture itself for an answer of type `photo`, else the thumbnail.
  package var image: OpenGraphImage?

  /// The longest answer that is read, in bytes.
  package static let maximumLength = 65_536

  private static let limits = JSONLimits(byteCount: maximumLength, depth: 16, nodeCount: 4_096)

  /// Reads an answer.
  ///
  /// Members that are missing or not as expected are passed over.
  ///
  /// - Parameters:
  ///   - bytes: The whole body, UTF-8.
  ///   - address: Where it came from; relative addresses are resolved against it.
  /// - Throws: When the body is no JSON object, or more than ``maximumLength`` bytes.
  package init(_ bytes: [UInt8], from address: WebURL) throws(OEmbedError) {
    let body = bytes.starts(with: "\u{feff}".utf8) ? Array(bytes.dropFirst(3)) : bytes
    let json: JSONNode
    do {
      json = try WebJSON.document(body, limits: Self.limits).root
    } catch {
      throw OEmbedError(description: "the oEmbed answer is not JSON: \(error)")
    }
    guard json.kind == .object else {
      throw OEmbedError(description: "the oEmbed answer is no JSON object")
    }
    title = Self.text(json["title"], limit: PreviewLimits.title)
    description = Self.text(json["description"], limit: PreviewLimits.description)
    image = Self.image(json, address)
  }

  private static func image(_ json: JSONNode, _ address: WebURL) -> OpenGraphImage? {
    let photo =
      json["type"]?.string == "photo"
      ? picture(json["url"], json["width"], json["height"], address) : nil
    return photo
      ?? picture(
        json["thumbnail_url"], json["thumbnail_width"], json["thumbnail_height"], address)
  }

  private static func picture(
    _ url: JSONNode?, _ width: JSONNode?, _ height: JSONNode?, _ address: WebURL
  ) -> OpenGraphImage? {
    guard let text = url?.string, let url = WebURL(text, relativeTo: address) else { return nil }
    return OpenGraphImage(
      url: url.text, width: PixelCount(json: width).value, height: PixelCount(json: height).value)
  }

  private static func text(_ json: JSONNode?, limit: Int) -> String? {
    guard let text = json?.string else { return nil }
    return PreviewText.make(from: text, in: .attribute, limit: limit)
  }
}
