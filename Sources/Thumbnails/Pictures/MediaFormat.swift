/// A format of images or videos from which thumbnails are made.
package enum MediaFormat: Hashable, Sendable, CaseIterable {
  case jpeg
  case png
  case gif
  case webP
  case tiff
  /// HEIC and AVIF.
  case heif
  /// MP4 and QuickTime.
  case mov
  /// Including WebM.
  case matroska
  case ogg
  case avi

  /// The number of bytes that ``init(beginning:)`` examines.
  package static let prefixByteCount = 64

  /// Recognizes the format of a file by its first bytes, never by its name.
  package init?(beginning bytes: [UInt8]) {
    guard let format = Self.allCases.first(where: { $0.isBegun(by: bytes) }) else { return nil }
    self = format
  }

  package var isFilm: Bool {
    switch self {
    case .jpeg, .png, .gif, .webP, .tiff, .heif: false
    case .mov, .matroska, .ogg, .avi: true
    }
  }

  /// The format of its thumbnails: JPEG for photographs, PNG for possibly transparent or drawn images.
  package var thumbnailFormat: ThumbnailFormat {
    switch self {
    case .jpeg, .tiff, .heif, .mov, .matroska, .ogg, .avi: .jpeg
    case .png, .gif, .webP: .png
    }
  }

  private func isBegun(by bytes: [UInt8]) -> Bool {
    switch self {
    // Decoders skip bytes between this marker and the next.
    case .jpeg: bytes.starts(with: [0xFF, 0xD8])
    case .png: bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    case .gif: bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8))
    case .webP: bytes.isChunk("RIFF", of: "WEBP")
    case .tiff: bytes.starts(with: [0x49, 0x49, 42, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 42])
    case .heif: bytes.hasBrand(among: Self.pictureBrands)
    case .mov: bytes.hasBox("ftyp") ? bytes.isFilmOfBrand : bytes.isOldQuickTime
    case .matroska: bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3])
    case .ogg: bytes.starts(with: Array("OggS".utf8))
    case .avi: bytes.isChunk("RIFF", of: "AVI ")
    }
  }

  fileprivate static let pictureBrands: Set<String> = sequenceBrands.union([
    "heic", "heix", "heim", "heis", "mif1", "avif",
  ])
  /// Sequences of pictures, the first of which is also stored as a still picture.
  fileprivate static let sequenceBrands: Set<String> = ["hevc", "hevx", "msf1", "avis"]
  /// Audio formats.
  fileprivate static let otherBrands: Set<String> = ["M4A ", "M4B ", "M4P "]

  /// The bytes that replace those at ``brandOffset`` of a sequence, for decoders that only support
  /// stills; `nil` for all other files.
  package static func stillBrand(beginning bytes: [UInt8]) -> [UInt8]? {
    bytes.hasBrand(among: sequenceBrands) ? Array("mif1".utf8) : nil
  }

  /// The position of the brand in an ISO base media file.
  package static let brandOffset = 8
}

/// The format of a thumbnail.
package enum ThumbnailFormat: Hashable, Sendable {
  case jpeg
  case png

  package var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    }
  }

  /// - Returns: `nil` for a format that is not used for thumbnails.
  package init?(_ format: MediaFormat) {
    switch format {
    case .jpeg: self = .jpeg
    case .png: self = .png
    case .gif, .webP, .tiff, .heif, .mov, .matroska, .ogg, .avi: return nil
    }
  }
}

extension [UInt8] {
  fileprivate func isChunk(_ name: String, of kind: String) -> Bool {
    starts(with: name.utf8) && dropFirst(8).starts(with: kind.utf8)
  }

  fileprivate func hasBox(_ kind: String) -> Bool { dropFirst(4).starts(with: kind.utf8) }

  /// The main brand of an ISO base media file.
  private var brand: String { String(decoding: dropFirst(8).prefix(4), as: UTF8.self) }

  fileprivate func hasBrand(among brands: Set<String>) -> Bool {
    hasBox("ftyp") && brands.contains(brand)
  }

  fileprivate var isFilmOfBrand: Bool {
    !hasBrand(among: MediaFormat.pictureBrands) && !hasBrand(among: MediaFormat.otherBrands)
  }

  /// Old QuickTime files start without a brand.
  fileprivate var isOldQuickTime: Bool {
    ["moov", "mdat", "wide", "free", "skip", "pnot"].contains(where: hasBox)
  }
}
