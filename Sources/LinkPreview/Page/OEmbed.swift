package import ParleyProtocol

/// An oEmbed provider's response about a page (oEmbed 1.0 §2.3.4), reduced to previews.
///
/// Texts are cleaned and truncated like those of pages; addresses are absolute, http or https.
package struct OEmbedResponse: Sendable, Hashable {
  /// The resource's title.
  package var title: String?
  /// Not in the specification, but common.
  package var description: String?
  /// The picture itself for a response of type `photo`, otherwise the thumbnail.
  package var image: OpenGraphImage?

  /// The maximum size of a response, in bytes.
  package static let maximumLength = 65_536

  private static let limits = JSONLimits(byteCount: maximumLength, depth: 16, nodeCount: 4_096)

  /// Parses a response.
  ///
  /// Missing and invalid members are ignored.
  ///
  /// - Parameters:
  ///   - bytes: The complete body, in UTF-8.
  ///   - address: The URL of the response; relative addresses are resolved against it.
  /// - Throws: If the body is not a JSON object, or has more than ``maximumLength`` bytes.
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
    guard let text = url?.string, let url = PreviewAddress.make(from: text, address) else {
      return nil
    }
    return OpenGraphImage(
      url: url.text, width: PixelCount(json: width).value, height: PixelCount(json: height).value)
  }

  private static func text(_ json: JSONNode?, limit: Int) -> String? {
    guard let text = json?.string else { return nil }
    return PreviewText.make(from: text, in: .attribute, limit: limit)
  }
}

/// The reason why an oEmbed response is unusable.
package struct OEmbedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A description of the problem.
  package let description: String
}

extension PageReport {
  /// Returns the report completed with a provider's response, which ranks before the page's plain
  /// HTML, and after its values for previews and its structured data.
  package func completed(with response: OEmbedResponse) -> PageReport {
    let members = PreviewMembers(
      title: better(tag?.title, response.title, "title"), address: address,
      description: better(tag?.description, response.description, "description"),
      image: better(tag?.image, response.image, "image"))
    var report = PageReport(
      members, siteName: siteName, embedURL: embedURL, characterSet: characterSet)
    // The page's own problem is more specific than the missing oEmbed preview.
    if report.tag == nil { report.problem = problem ?? report.problem }
    return report
  }

  private func better<Value>(
    _ present: Value?, _ offered: Value?, _ member: String
  ) -> Sourced<Value>? {
    let origin = origins.first { $0.member == "og:\(member)" }
    let kept = present.map { Sourced($0, origin?.rank ?? .openGraph, origin?.source ?? "") }
    if let kept, kept.rank > .oEmbed { return kept }
    return offered.map { Sourced($0, .oEmbed, "oEmbed \(member)") } ?? kept
  }
}

extension PageReport {
  /// Whether an oEmbed response could improve the preview: the page links to one, and lacks a title
  /// or an image intended for previews.
  package var isWorthCompleting: Bool {
    embedURL != nil
      && ["og:title", "og:image"].contains { member in
        origins.first { $0.member == member }.map { $0.rank < .oEmbed } ?? true
      }
  }
}
