/// The formats whose size is at a fixed position, or after a short chain of segments.
extension HeaderFields {
  /// The maximum number of segments, tags or boxes to examine in a file.
  static var mostSteps: Int { 4_096 }

  mutating func sizeOfPNG() -> PictureSize? {
    guard text(at: 12, count: 4) == "IHDR" else { return nil }
    return size(widthAt: 16, heightAt: 20, count: 4, .big)
  }

  mutating func sizeOfGIF() -> PictureSize? { size(widthAt: 6, heightAt: 8, count: 2, .little) }

  mutating func sizeOfWebP() -> PictureSize? {
    switch text(at: 12, count: 4) {
    case "VP8X":
      guard let size = size(widthAt: 24, heightAt: 27, count: 3, .little) else { return nil }
      return PictureSize(width: size.width + 1, height: size.height + 1)
    case "VP8 ":
      // The upper two bits scale the picture up for display; libwebp ignores them.
      guard let size = size(widthAt: 26, heightAt: 28, count: 2, .little) else { return nil }
      return PictureSize(width: size.width & 0x3FFF, height: size.height & 0x3FFF)
    case "VP8L":
      guard byte(at: 20) == 0x2F, let bits = number(at: 21, count: 4, .little) else { return nil }
      return PictureSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
    default: return nil
    }
  }

  /// Follows the segments of a JPEG to the one that starts the frame.
  mutating func sizeOfJPEG() -> PictureSize? {
    var segments = JPEGSegments()
    while let segment = segments.next(in: &self) {
      guard segment.kind == .frame else { continue }
      guard let height = number(at: segment.content + 1, count: 2),
        let width = number(at: segment.content + 3, count: 2)
      else { return nil }
      return PictureSize(width: width, height: height)
    }
    return nil
  }

  /// Reads the first directory of a TIFF, whose picture is displayed.
  mutating func sizeOfTIFF() -> PictureSize? {
    var (width, height): (Int?, Int?)
    let isWhole = forEachEntryOfTIFF { _, entry in
      switch entry.tag {
      case 256: width = max(width ?? 0, entry.value ?? 0)
      case 257: height = max(height ?? 0, entry.value ?? 0)
      default: break
      }
    }
    guard isWhole, let width, let height else { return nil }
    return PictureSize(width: width, height: height)
  }

  /// Reads the entries of the first directory of a TIFF.
  ///
  /// - Returns: Whether the directory is complete.
  @discardableResult
  mutating func forEachEntryOfTIFF(
    _ body: (inout Self, (tag: Int, value: Int?)) -> Void
  ) -> Bool {
    let order: ByteOrder = byte(at: 0) == UInt8(ascii: "I") ? .little : .big
    guard let directory = number(at: 4, count: 4, order).map(UInt64.init),
      let count = number(at: directory, count: 2, order), count <= Self.mostSteps
    else { return false }
    for index in 0..<UInt64(count) {
      let entry = directory + 2 + 12 * index
      guard let tag = number(at: entry, count: 2, order),
        let kind = number(at: entry + 2, count: 2, order)
      else { return false }
      // A 2-byte number is at the start of the 4 bytes.
      body(&self, (tag, number(at: entry + 8, count: kind == 3 ? 2 : 4, order)))
    }
    return true
  }

  private mutating func size(
    widthAt width: UInt64, heightAt height: UInt64, count: Int, _ order: ByteOrder
  ) -> PictureSize? {
    guard let width = number(at: width, count: count, order),
      let height = number(at: height, count: count, order)
    else { return nil }
    return PictureSize(width: width, height: height)
  }
}
