/// The colours of a picture as described by its header.
package struct PictureColours: Hashable, Sendable {
  /// A colour model, identified by its signature in ICC profiles (ICC.1 §7.2.6).
  package enum Model: String, Sendable {
    case grey = "GRAY"
    case rgb = "RGB "
    case cmyk = "CMYK"
  }

  /// The model of the decoded pixels.
  package let pixels: Model
  /// The signature of the embedded profile's colour model; `nil` without a profile.
  package let profile: String?

  /// RGB without a profile, which is sRGB.
  package static let standard = Self(pixels: .rgb)

  package init(pixels: Model, profile: String? = nil) {
    self.pixels = pixels
    self.profile = profile
  }

  /// The conversion of the pixels to sRGB.
  ///
  /// libvips applies profiles of a model other than the pixels', such as a grey one to the red of
  /// an RGB picture. It converts CMYK when it reads the picture, with its profile or a typical one.
  package var conversion: ColourConversion {
    switch pixels {
    case .grey: profile == pixels.rawValue ? .byProfile : .none
    case .rgb: profile == nil || profile == pixels.rawValue ? .byProfile : .none
    case .cmyk: .none
    }
  }
}

/// The conversion of a decoded picture's colours to those of its thumbnail.
package enum ColourConversion: Hashable, Sendable {
  /// By the embedded profile, or from sRGB without one.
  case byProfile
  /// The values are used as sRGB.
  case none
}
