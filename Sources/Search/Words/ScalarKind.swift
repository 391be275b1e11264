/// The part that a folded character takes in a text.
enum ScalarKind {
  /// Belongs to a word.
  case letter
  /// Belongs to a run of a script that is written without spaces.
  case run
  case emoji
  /// Has no width of its own, and separates nothing.
  case ignored
  case separator

  init(_ scalar: Unicode.Scalar) {
    let value = scalar.value
    if value < 0x80 {
      self =
        switch value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: .letter
        default: .separator
        }
      return
    }
    if Self.isWithoutSpaces(value) {
      self = .run
      return
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      self = properties.isVariationSelector ? .ignored : .letter
    case .format: self = value == 0x200B ? .separator : .ignored
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol, .spaceSeparator, .lineSeparator, .paragraphSeparator,
      .control, .surrogate, .privateUse, .unassigned:
      self = properties.isEmoji ? .emoji : .separator
    @unknown default: self = .separator
    }
  }

  /// Han, kana, bopomofo, Hangul, Thai, Lao, Khmer and Burmese; their digits form words.
  private static func isWithoutSpaces(_ value: UInt32) -> Bool {
    switch value {
    case 0xE01...0xE3A, 0xE40...0xE4E, 0xE81...0xECE, 0x1000...0x103F, 0x1050...0x108F,
      0x109A...0x109D, 0x1100...0x11FF, 0x1780...0x17D3, 0x17D7, 0x17DC...0x17DD, 0x3005...0x3007,
      0x303B, 0x3041...0x3096, 0x3099...0x309A, 0x309D...0x309E, 0x30A1...0x30FA,
      0x30FC...0x30FE, 0x3105...0x312F, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA960...0xA97C, 0xA9E0...0xA9FE, 0xAA60...0xAA7F, 0xAC00...0xD7FB, 0xF900...0xFAFF,
      0x1B000...0x1B16F, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}

extension Unicode.Scalar {
  /// Whether it colors the skin of the emoji before.
  var isSkinTone: Bool { (0x1F3FB...0x1F3FF).contains(value) }
  /// Whether it is half of a flag.
  var isFlagLetter: Bool { (0x1F1E6...0x1F1FF).contains(value) }
  /// Whether it names a region in a flag.
  var isTag: Bool { (0xE0020...0xE007F).contains(value) }
  /// The zero width joiner between emoji.
  var isJoiner: Bool { value == 0x200D }
}
