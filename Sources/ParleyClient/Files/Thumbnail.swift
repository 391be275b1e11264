internal import ParleyProtocol

/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// The bounds of a thumbnail requested by a file message.
///
///     params.thumbnailSizes = [.make(maxWidth: 100, maxHeight: 100), .make(maxWidth: 320, maxHeight: 240)]
public struct ThumbnailSize: Sendable, Hashable {
  /// The picture is scaled down to fit, but never enlarged.
  public let maxSize: PixelSize

  /// Creates bounds; the server accepts sides of 1 to 2,000 pixels.
  public static func make(maxSize: PixelSize) -> ThumbnailSize {
    ThumbnailSize(maxSize: maxSize)
  }

  /// Creates bounds; the server accepts sides of 1 to 2,000 pixels.
  public static func make(maxWidth: Int, maxHeight: Int) -> ThumbnailSize {
    ThumbnailSize(maxSize: PixelSize(width: maxWidth, height: maxHeight))
  }
}

extension [ThumbnailSize] {
  /// Writes the member `thumbnail_sizes`; omitted if no sizes are requested.
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

/// A thumbnail of a message's file.
public struct Thumbnail: Sendable, Hashable {
  private let address: KeyedAddress
  /// The media type; empty for a picture that the sender gave by URL.
  public let type: String
  /// The size in bytes; 0 for a picture that the sender gave by URL, as are its sides.
  public let size: Int64
  /// The requested bounds.
  public let maxSize: PixelSize
  /// The actual size of the picture.
  public let realSize: PixelSize

  init(_ thumbnail: MessageThumbnail, openedBy keys: FileKeys?) {
    address = KeyedAddress(thumbnail.url, openedBy: keys)
    type = thumbnail.type
    size = thumbnail.size
    maxSize = PixelSize(width: thumbnail.bounds.maxWidth, height: thumbnail.bounds.maxHeight)
    realSize = PixelSize(width: thumbnail.width, height: thumbnail.height)
  }

  /// The URL, with the client's key if the file needs one; see ``FileMessage/url``.
  public var url: String { address.keyed }
  /// The URL with the key in a header field; see ``FileMessage/request``.
  public var request: FileRequest { address.request }
  /// The URL without a key: constant and the same for all users, for use in caches.
  public var plainURL: String { address.plain }
}
