/// What a character may be in and around a link.
extension Unicode.Scalar {
  var asciiLowercased: Unicode.Scalar {
    UInt8(exactly: value).map { Unicode.Scalar($0.asciiLowercased) } ?? self
  }

  /// A letter, digit, mark or hyphen: what labels of names are made of.
  var isHostScalar: Bool {
    if isASCII { return UInt8(value).isASCIIAlphanumeric || self == "-" }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      return true
    default: return false
    }
  }

  /// A letter of a script whose words follow one another, or other scripts, without spaces.
  var isOfUnspacedScript: Bool {
    switch value {
    case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff,  // Thai, Lao, Myanmar, Khmer
      0x1100...0x11ff, 0x3130...0x318f, 0xac00...0xd7a3,  // Hangul
      0x3040...0x30ff, 0x31f0...0x31ff, 0xff66...0xff9d,  // Kana
      0x3400...0x9fff, 0xf900...0xfaff, 0x2_0000...0x3_ffff:  // Han
      true
    default: false
    }
  }

  /// The first character of a link.
  var mayBeginLink: Bool { isHostScalar && self != "-" }

  /// A character that ties what follows to what precedes, so that no link begins after it.
  var joinsWords: Bool {
    switch self {
    case "@", "/", ".", "-", "_", "\\", "#", "$", "%", "&", "+", "=", "~": true
    default: false
    }
  }

  /// A character after a bare name that says it was none: an e-mail address, a call, a variable.
  var forbidsBareName: Bool {
    switch self {
    case "@", "(", "_", "\\", "=", "$", "%", "&", "+": true
    default: false
    }
  }

  /// A character that begins a port, path, query or fragment.
  var beginsRest: Bool { self == "/" || self == ":" || self == "?" || self == "#" }

  /// Whether a link goes on with this character.
  var mayStandInURL: Bool {
    if isASCII {
      switch self {
      case "<", ">", "\"", "`", "\\", "^", "{", "}", "|": return false
      default: return value > 0x20 && value != 0x7f
      }
    }
    switch properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .surrogate,
      .unassigned:
      return false
    default: return true
    }
  }
}
