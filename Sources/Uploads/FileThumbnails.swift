package import ParleyProtocol

/// A thumbnail that is kept.
package struct FileThumbnail: Sendable, Hashable {
  package var bounds: ThumbnailSize
  /// The name of its bytes among the files that are kept.
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
  /// The reason why none can be made of the file; `nil` while there is none.
  package var failure: String?

  /// Thumbnails that a file may have; there may be more of one from before this limit.
  package static let limit = 12

  package init(made: [FileThumbnail] = [], failure: String? = nil) {
    self.made = made
    self.failure = failure
  }

  package func thumbnail(within bounds: ThumbnailSize) -> FileThumbnail? {
    made.first { $0.bounds == bounds }
  }

  /// Those of some sizes that were not made and may be, each once; none of a file of which none can be
  /// made.
  package func missing(of sizes: [ThumbnailSize]) -> [ThumbnailSize] {
    guard failure == nil else { return [] }
    let missing = sizes.reduce(into: [] as [ThumbnailSize]) { missing, size in
      if thumbnail(within: size) == nil, !missing.contains(size) { missing.append(size) }
    }
    return Array(missing.prefix(max(0, Self.limit - made.count)))
  }
}
