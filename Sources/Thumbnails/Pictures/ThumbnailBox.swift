/// The bounds that a thumbnail must fit into.
package struct ThumbnailBox: Hashable, Sendable {
  package let maxWidth: Int
  package let maxHeight: Int

  package init(maxWidth: Int, maxHeight: Int) {
    self.maxWidth = maxWidth
    self.maxHeight = maxHeight
  }
}

extension ThumbnailBox: LosslessStringConvertible {
  /// Parses `WIDTHxHEIGHT`.
  package init?(_ description: String) {
    let numbers = description.split(separator: "x", omittingEmptySubsequences: false)
    guard numbers.count == 2, let width = Int(numbers[0]), let height = Int(numbers[1]),
      width > 0, height > 0
    else { return nil }
    self.init(maxWidth: width, maxHeight: height)
  }

  package var description: String { "\(maxWidth)x\(maxHeight)" }
}

/// The width and height of a picture in pixels.
package struct PictureSize: Hashable, Sendable {
  package let width: Int
  package let height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  package func isWithin(_ box: ThumbnailBox) -> Bool {
    1...box.maxWidth ~= width && 1...box.maxHeight ~= height
  }
}

/// A picture made for a box.
package struct Thumbnail: Hashable, Sendable {
  package let box: ThumbnailBox
  package let format: ThumbnailFormat
  package let size: PictureSize
  package let bytes: [UInt8]

  package init(box: ThumbnailBox, format: ThumbnailFormat, size: PictureSize, bytes: [UInt8]) {
    self.box = box
    self.format = format
    self.size = size
    self.bytes = bytes
  }
}
