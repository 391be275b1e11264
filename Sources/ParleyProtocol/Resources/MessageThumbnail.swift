/// The bounds that a thumbnail is fitted into, in pixels.
package struct ThumbnailSize: Sendable, Hashable {
  package var maxWidth: Int
  package var maxHeight: Int

  package init(maxWidth: Int, maxHeight: Int) {
    self.maxWidth = maxWidth
    self.maxHeight = maxHeight
  }
}

extension ThumbnailSize: LosslessStringConvertible {
  /// Parses `WIDTHxHEIGHT`, without leading zeros.
  package init?(_ description: String) {
    let sides = description.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
      width > 0, height > 0, description == "\(width)x\(height)"
    else { return nil }
    self.init(maxWidth: width, maxHeight: height)
  }

  package var description: String { "\(maxWidth)x\(maxHeight)" }
}

extension [ThumbnailSize] {
  /// Parses sizes separated by commas.
  package init?(list: String) {
    self = []
    for text in list.split(separator: ",") {
      guard let size = ThumbnailSize(String(text)) else { return nil }
      append(size)
    }
  }

  /// The sizes, separated by commas.
  package var list: String { map(\.description).joined(separator: ",") }
}

/// A small picture of a message's file.
package struct MessageThumbnail: Sendable, Hashable {
  package var url: String
  /// The media type; empty for a picture that the sender gave by address.
  package var type: String
  /// The size in bytes; 0, like the sides, for a picture that the sender gave by address.
  package var size: Int64
  package var bounds: ThumbnailSize
  package var width: Int
  package var height: Int

  package init(
    url: String, type: String = "", size: Int64 = 0,
    bounds: ThumbnailSize = ThumbnailSize(maxWidth: 0, maxHeight: 0), width: Int = 0,
    height: Int = 0
  ) {
    self.url = url
    self.type = type
    self.size = size
    self.bounds = bounds
    self.width = width
    self.height = height
  }
}

extension MessageThumbnail {
  /// Writes the thumbnail in the form of the API contract.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", url)
      $0.member("type", type)
      $0.member("size", size)
      $0.member("max_width", bounds.maxWidth)
      $0.member("max_height", bounds.maxHeight)
      $0.member("real_width", width)
      $0.member("real_height", height)
    }
  }

  /// Parses a thumbnail; everything except its address may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("thumbnail", json)
    let number = { (name: String) in Int(clamping: json[name]?.integer ?? 0) }
    self.init(
      url: try reader.text("url"), type: try reader.optionalText("type"),
      size: json["size"]?.integer ?? 0,
      bounds: ThumbnailSize(maxWidth: number("max_width"), maxHeight: number("max_height")),
      width: number("real_width"), height: number("real_height"))
  }

  /// The maximum number of bytes in JSON, besides the address and the type.
  static let memberByteCount = 160

  /// The size as JSON.
  var byteCount: Int { Self.memberByteCount + JSONSize.quoted(url) + JSONSize.quoted(type) }
}
