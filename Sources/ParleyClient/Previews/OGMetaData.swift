internal import Basics
internal import ParleyProtocol

/// A link preview: the linked page's description of itself.
///
/// All of it is untrusted text, not HTML: display it as text.
public struct OGMetaData: Sendable, Hashable, Codable {
  /// The page's title (`og:title`).
  public let title: String?
  /// The page's own address (`og:url`).
  public let url: String?
  /// The description (`og:description`).
  public let desc: String?
  /// The picture (`og:image`).
  public let defaultImage: OGImage?

  /// Creates a value, for tests and previews of an application.
  public init(
    title: String? = nil, url: String? = nil, desc: String? = nil, defaultImage: OGImage? = nil
  ) {
    self.title = title
    self.url = url
    self.desc = desc
    self.defaultImage = defaultImage
  }

  init(_ tag: OpenGraphTag) {
    self.init(
      title: tag.title, url: tag.url, desc: tag.description,
      defaultImage: tag.image.map(OGImage.init))
  }
}

/// The picture of a link preview.
public struct OGImage: Sendable, Hashable, Codable {
  /// The picture's address, http or https.
  public let url: String?
  /// The same picture over https.
  public let secureURL: String?
  /// The media type of the picture, such as `image/png`.
  public let type: String?
  /// In pixels; 0 if the page does not specify it.
  public let width: Int
  /// In pixels; 0 if the page does not specify it.
  public let height: Int
  /// A text description of the picture.
  public let alt: String?
  /// The URL given by the page, if ``url`` is that of a copy on the Parley server.
  public let originURL: String?

  /// Creates a value, for tests and previews of an application.
  public init(
    url: String? = nil, secureURL: String? = nil, type: String? = nil, width: Int = 0,
    height: Int = 0, alt: String? = nil, originURL: String? = nil
  ) {
    self.url = url
    self.secureURL = secureURL
    self.type = type
    self.width = width
    self.height = height
    self.alt = alt
    self.originURL = originURL
  }

  init(_ image: OpenGraphImage) {
    self.init(
      url: image.url, secureURL: image.secureURL, type: image.type, width: Int(image.width),
      height: Int(image.height), alt: image.alt, originURL: image.originURL)
  }
}

/// A link preview created by the sender, carried in a message's `data`.
///
/// The format is that of the rich messages of Sendbird Desk, so that applications written for them
/// display it: a JSON object in base64.
///
///     {"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":…,"site_name":…,"title":…,…}}
public struct URLPreviewPayload: Sendable, Hashable {
  /// The ``BaseMessage/customType`` of messages that carry a preview.
  public static let messageCustomType = "SENDBIRD_DESK_RICH_MESSAGE"

  /// The page's address.
  public var url: String
  /// The name of the site; empty when unknown.
  public var siteName: String
  /// The page's title; empty when unknown.
  public var title: String
  /// The description; empty when unknown.
  public var description: String
  /// The address of a picture; empty when there is none.
  public var image: String

  /// Creates a preview of a page.
  public init(
    url: String, siteName: String = "", title: String = "", description: String = "",
    image: String = ""
  ) {
    self.url = url
    self.siteName = siteName
    self.title = title
    self.description = description
    self.image = image
  }
}

extension URLPreviewPayload {
  private static let type = "SENDBIRD_DESK_URL_PREVIEW"

  /// Encodes the payload for a message's `data`.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400110 if it would exceed the
  ///   24,576 bytes that a server can allow for a message's data. The default is 16,384.
  public func encoded() throws(ParleyError) -> String {
    let json = JSONWriter.bytes {
      $0.object {
        $0.member("type", Self.type)
        $0.member("body", object: writeBody)
      }
    }
    let data = Base64.encode(json)
    let limit = CustomDataLimits.most.dataByteCount
    guard data.utf8.count <= limit else {
      throw .refused(
        code: ErrorCode.tooLong.rawValue,
        message: "the preview is longer than \(limit) bytes", field: "data")
    }
    return data
  }

  /// Decodes the output of ``encoded()``; `nil` if `data` is anything else, or longer than allowed.
  ///
  /// Missing members and members that are not texts are empty; a preview requires an address.
  public init?(encoded data: String) {
    guard data.utf8.count <= CustomDataLimits.most.dataByteCount, let json = Base64.decode(data),
      let root = try? JSONDocument(json, limits: Self.limits).root,
      root["type"]?.string == Self.type, let body = root["body"],
      let url = body["url"]?.string, !url.isEmpty
    else { return nil }
    self.init(
      url: url, siteName: body["site_name"]?.string ?? "", title: body["title"]?.string ?? "",
      description: body["description"]?.string ?? "", image: body["image"]?.string ?? "")
  }

  private static let limits = JSONLimits(
    byteCount: CustomDataLimits.most.dataByteCount, depth: 8, nodeCount: 256)

  private func writeBody(into writer: inout JSONWriter) {
    writer.member("url", url)
    writer.member("site_name", siteName)
    writer.member("title", title)
    writer.member("description", description)
    writer.member("image", image)
  }
}
