internal import ParleyProtocol

/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable {
  /// The pixels of a row.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Makes a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// The bounds of a thumbnail that a file message asks for.
///
///     params.thumbnailSizes = [.make(maxWidth: 100, maxHeight: 100), .make(maxWidth: 320, maxHeight: 240)]
public struct ThumbnailSize: Sendable, Hashable {
  /// The picture is scaled down to fit, and never enlarged.
  public let maxSize: PixelSize

  /// Makes bounds; the server takes sides of 1 to 2,000 pixels.
  public static func make(maxSize: PixelSize) -> ThumbnailSize {
    ThumbnailSize(maxSize: maxSize)
  }

  /// Makes bounds; the server takes sides of 1 to 2,000 pixels.
  public static func make(maxWidth: Int, maxHeight: Int) -> ThumbnailSize {
    ThumbnailSize(maxSize: PixelSize(width: maxWidth, height: maxHeight))
  }
}

extension [ThumbnailSize] {
  /// Writes the member `thumbnail_sizes`; no member when there is no wish.
  func write(into writer: inout JSONWriter) {
    guard !isEmpty else { return }
    writer.name("thumbnail_sizes")
    writer.array {
      for size in self {
        $0.object {
          $0.member("max_width", size.maxSize.width)
          $0.member("max_height", size.maxSize.height)
        }
      }
    }
  }
}

/// A small picture of a message's file.
public struct Thumbnail: Sendable, Hashable {
  private let address: KeyedAddress
  /// The media type; empty for a picture that the sender gave by its address.
  public let type: String
  /// Bytes; 0 for a picture that the sender gave by its address, as are the sides.
  public let size: Int64
  /// The bounds that were asked for.
  public let maxSize: PixelSize
  /// The picture's own sides.
  public let realSize: PixelSize

  init(_ thumbnail: MessageThumbnail, openedBy keys: FileKeys?) {
    address = KeyedAddress(thumbnail.url, openedBy: keys)
    type = thumbnail.type
    size = thumbnail.size
    maxSize = PixelSize(width: thumbnail.bounds.maxWidth, height: thumbnail.bounds.maxHeight)
    realSize = PixelSize(width: thumbnail.width, height: thumbnail.height)
  }

  /// The address, with the client's key if the file needs one; see ``FileMessage/url``.
  public var url: String { address.keyed }
  /// The address with the key in a header field; see ``FileMessage/request``.
  public var request: FileRequest { address.request }
  /// The address without a key: the same for everyone and at all times, for caches.
  public var plainURL: String { address.plain }
}
