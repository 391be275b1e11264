package import ParleyProtocol

/// A stored thumbnail.
package struct FileThumbnail: Sendable, Hashable {
  package var bounds: ThumbnailSize
  /// The name of its bytes among the stored files.
  package var contentID: String
  /// The media type.
  package var type: String
  /// Bytes.
  package var size: Int64
  package var width: Int
  package var height: Int

  package init(
    bounds: ThumbnailSize, contentID: String, type: String, size: Int64, width: Int, height: Int
  ) {
    self.bounds = bounds
    self.contentID = contentID
    self.type = type
    self.size = size
    self.width = width
    self.height = height
  }
}

/// The thumbnails of a file.
package struct FileThumbnails: Sendable, Hashable {
  package var made: [FileThumbnail]
  /// The reason why no thumbnail of the file can be made; `nil` if there is none.
  package var failure: String?

  /// Maximum number of thumbnails of a file; files from before this limit may have more.
  package static let limit = 12

  package init(made: [FileThumbnail] = [], failure: String? = nil) {
    self.made = made
    self.failure = failure
  }

  package func thumbnail(within bounds: ThumbnailSize) -> FileThumbnail? {
    made.first { $0.bounds == bounds }
  }

  /// The requested sizes that are missing and may be made, each once; empty for a file of which no
  /// thumbnail can be made.
  package func missing(of sizes: [ThumbnailSize]) -> [ThumbnailSize] {
    guard failure == nil else { return [] }
    let missing = sizes.reduce(into: [] as [ThumbnailSize]) { missing, size in
      if thumbnail(within: size) == nil, !missing.contains(size) { missing.append(size) }
    }
    return Array(missing.prefix(max(0, Self.limit - made.count)))
  }
}
