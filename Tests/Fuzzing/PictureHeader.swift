@testable import Thumbnails

/// Reads any bytes as the header of a picture.
///
/// It reads a bounded number of pieces, nothing of a refused file is believed, and what lies behind
/// the header changes nothing.
enum PictureHeaderHarness: Harness {
  static func run(_ input: [UInt8]) {
    var file = CountedBytes(input)
    let header = try? PictureHeader(of: &file)
    precondition(file.readCount < 40_000, "the header never ends")
    guard let header else { return }
    precondition(header.format == MediaFormat(beginning: input), "the format is another one")
    if let size = header.size {
      precondition(size.width > 0 && size.height > 0, "a picture without pixels")
    } else {
      precondition(header.format.isFilm, "a picture without a size")
    }
    var again = CountedBytes(input)
    precondition((try? PictureHeader(of: &again)) == header, "the same bytes mean something else")
  }

  /// Bytes that count how often they are read.
  private struct CountedBytes: PictureBytes {
    let bytes: [UInt8]
    var readCount = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read(at offset: UInt64, count: Int) -> [UInt8] {
      readCount += 1
      return bytes.read(at: offset, count: count)
    }
  }
}
