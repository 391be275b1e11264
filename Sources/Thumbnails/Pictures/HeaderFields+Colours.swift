/// The colour models of pixels and profiles, as far as a decoder might confuse them.
extension HeaderFields {
  mutating func colours(of format: MediaFormat) -> PictureColours {
    switch format {
    case .jpeg: coloursOfJPEG()
    case .png: coloursOfPNG()
    case .webP: PictureColours(pixels: .rgb, profile: profileOfWebP())
    case .tiff: coloursOfTIFF()
    // Decoded to RGB, regardless of the stored model.
    case .heif: PictureColours(pixels: .rgb, profile: profileOfHEIF())
    case .gif, .mov, .matroska, .ogg, .avi: .standard
    }
  }

  private mutating func coloursOfJPEG() -> PictureColours {
    var pixels = PictureColours.Model.rgb
    var profile: String?
    var segments = JPEGSegments()
    while let segment = segments.next(in: &self) {
      switch segment.kind {
      case .frame:
        switch byte(at: segment.content + 5) {
        case 1: pixels = .grey
        case 4: pixels = .cmyk
        default: pixels = .rgb
        }
      case .other(0xE2) where profile == nil:
        let name = "ICC_PROFILE\0"
        guard text(at: segment.content, count: name.utf8.count) == name else { continue }
        // The part number and the part count precede the profile.
        profile = model(ofProfileAt: segment.content + UInt64(name.utf8.count) + 2)
      case .other: continue
      }
    }
    return PictureColours(pixels: pixels, profile: profile)
  }

  /// The profile itself is compressed, and libpng drops one that does not fit.
  private mutating func coloursOfPNG() -> PictureColours {
    let pixels: PictureColours.Model =
      switch byte(at: 25) {
      case 0, 4: .grey
      default: .rgb
      }
    var offset: UInt64 = 8
    for _ in 0..<Self.mostSteps {
      guard let length = number(at: offset, count: 4) else { break }
      switch text(at: offset + 4, count: 4) {
      case "iCCP": return PictureColours(pixels: pixels, profile: pixels.rawValue)
      case "IDAT": return PictureColours(pixels: pixels)
      default: offset += UInt64(length) + 12
      }
    }
    return PictureColours(pixels: pixels)
  }

  private mutating func profileOfWebP() -> String? {
    // The profile chunk directly follows the chunk of features.
    guard text(at: 12, count: 4) == "VP8X", text(at: 30, count: 4) == "ICCP" else { return nil }
    return model(ofProfileAt: 38)
  }

  private mutating func coloursOfTIFF() -> PictureColours {
    var pixels = PictureColours.Model.rgb
    var profile: String?
    forEachEntryOfTIFF { fields, entry in
      switch entry.tag {
      // The photometric interpretation: white is zero or black is zero; separated inks.
      case 262 where entry.value == 0 || entry.value == 1: pixels = .grey
      case 262 where entry.value == 5: pixels = .cmyk
      case 34_675: profile = fields.model(ofProfileAt: UInt64(entry.value ?? 0))
      default: break
      }
    }
    return PictureColours(pixels: pixels, profile: profile)
  }

  /// Returns the signature of the colour model of the profile at an offset.
  mutating func model(ofProfileAt offset: UInt64) -> String? {
    let signature = text(at: offset + 16, count: 4)
    return signature.isEmpty ? nil : signature
  }
}
