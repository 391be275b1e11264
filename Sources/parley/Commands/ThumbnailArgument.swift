internal import ArgumentParser
internal import ParleyProtocol

/// The box of a thumbnail, written as `320x240` (pixels).
struct ThumbnailArgument: ExpressibleByArgument, Equatable {
  let size: ThumbnailSize

  init?(argument: String) {
    guard let size = ThumbnailSize(argument),
      Limits.thumbnailSides.contains(Int64(size.maxWidth)),
      Limits.thumbnailSides.contains(Int64(size.maxHeight))
    else { return nil }
    self.size = size
  }
}

extension [ThumbnailArgument] {
  /// The boxes as the value of `thumbnail_sizes`; `nil` without any.
  var json: String? {
    guard !isEmpty else { return nil }
    let bytes = JSONWriter.bytes { writer in
      writer.array { list in
        for box in self {
          list.object {
            $0.member("max_width", box.size.maxWidth)
            $0.member("max_height", box.size.maxHeight)
          }
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
