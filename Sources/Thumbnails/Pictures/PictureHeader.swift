/// The bytes of a file, read on demand.
package protocol PictureBytes {
  /// Reads bytes at an offset; fewer at the end of the file, none after it.
  mutating func read(at offset: UInt64, count: Int) -> [UInt8]
}

extension [UInt8]: PictureBytes {
  package func read(at offset: UInt64, count: Int) -> [UInt8] {
    guard let start = Int(exactly: offset), start < self.count else { return [] }
    return Array(self[start..<Swift.min(self.count, start + count)])
  }
}

/// The format of a file and, for an image, its size: read before a decoder is run on the file.
package struct PictureHeader: Hashable, Sendable {
  package let format: MediaFormat
  /// The size as stored, before a rotation; `nil` for a video, whose size its decoder limits.
  package let size: PictureSize?
  /// The colours of the decoded picture, or of a frame.
  package let colours: PictureColours
  /// The brand with which decoders that only support stills can read a sequence of pictures; `nil`
  /// for all other files.
  package let stillBrand: [UInt8]?

  /// Reads the header of a file.
  ///
  /// - Throws: ``PictureRefusal`` for a file of another format, or one without a readable size.
  package init(of bytes: inout some PictureBytes) throws(PictureRefusal) {
    let beginning = bytes.read(at: 0, count: MediaFormat.prefixByteCount)
    guard let format = MediaFormat(beginning: beginning) else { throw .unknownFormat }
    self.format = format
    stillBrand = MediaFormat.stillBrand(beginning: beginning)
    size = try Self.size(format, &bytes)
    var fields = HeaderFields(bytes)
    colours = fields.colours(of: format)
    bytes = fields.bytes
  }

  private static func size(
    _ format: MediaFormat, _ bytes: inout some PictureBytes
  ) throws(PictureRefusal) -> PictureSize? {
    var fields = HeaderFields(bytes)
    defer { bytes = fields.bytes }
    let size: PictureSize?
    switch format {
    case .jpeg: size = fields.sizeOfJPEG()
    case .png: size = fields.sizeOfPNG()
    case .gif: size = fields.sizeOfGIF()
    case .webP: size = fields.sizeOfWebP()
    case .tiff: size = fields.sizeOfTIFF()
    case .heif: size = fields.sizeOfHEIF()
    case .mov, .matroska, .ogg, .avi: return nil
    }
    guard let size, size.width > 0, size.height > 0 else { throw .noSize }
    return size
  }
}

/// The reason why a file is not passed to a decoder.
package enum PictureRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownFormat
  case noSize
  case tooLarge(PictureSize)
  case formatNotMade

  package var description: String {
    switch self {
    case .unknownFormat: "the content is no picture or film of a known format"
    case .noSize: "the header names no size"
    case .tooLarge(let size): "\(size.width) x \(size.height) pixels are too many"
    case .formatNotMade: "the program for this format is missing"
    }
  }
}

/// Reads numbers of a header at their offsets.
struct HeaderFields<Bytes: PictureBytes> {
  var bytes: Bytes

  init(_ bytes: Bytes) { self.bytes = bytes }

  mutating func byte(at offset: UInt64) -> UInt8? { bytes.read(at: offset, count: 1).first }

  /// Reads an unsigned number of 1 to 4 bytes; `nil` after the end of the file.
  mutating func number(at offset: UInt64, count: Int, _ order: ByteOrder = .big) -> Int? {
    let read = bytes.read(at: offset, count: count)
    guard read.count == count else { return nil }
    return switch order {
    case .big: read.reduce(0) { $0 << 8 | Int($1) }
    case .little: read.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }

  mutating func text(at offset: UInt64, count: Int) -> String {
    String(decoding: bytes.read(at: offset, count: count), as: UTF8.self)
  }

  enum ByteOrder {
    case big
    case little
  }
}
