/// Classes of characters in and around links.
extension Unicode.Scalar {
  var asciiLowercased: Unicode.Scalar {
    UInt8(exactly: value).map { Unicode.Scalar($0.asciiLowercased) } ?? self
  }

  var isASCIIDigit: Bool { isASCII && UInt8(truncatingIfNeeded: value).isASCIIDigit }

  var isASCIIAlphanumeric: Bool {
    isASCII && UInt8(truncatingIfNeeded: value).isASCIIAlphanumeric
  }

  /// A character that a backslash escapes (CommonMark §2.4).
  var isASCIIPunctuation: Bool { value > 0x20 && value < 0x7f && !isASCIIAlphanumeric }

  /// A space or tab, or the first half of a line break.
  var isBlank: Bool { self == " " || self == "\t" || self == "\r" }

  var isWhitespace: Bool { value <= 0x20 || properties.isWhitespace }

  /// A letter, digit, mark or hyphen: a character of labels.
  var isHostScalar: Bool {
    if isASCII { return isASCIIAlphanumeric || self == "-" }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      return true
    default: return isJoiner
    }
  }

  /// A character that is a picture, or changes the look of one.
  var isPictorial: Bool {
    if self == "\u{fe0f}" || self == "\u{200d}" || self == "\u{20e3}" { return true }
    return !isASCII
      && (properties.generalCategory == .otherSymbol
        || properties.generalCategory == .modifierSymbol)
  }

  /// A non-ASCII character that is not supported in labels: a symbol or number, `→`, `①`, `€`, or
  /// an invisible one, such as a soft hyphen.
  var isSign: Bool {
    if isASCII { return false }
    switch properties.generalCategory {
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .letterNumber, .otherNumber,
      .enclosingMark, .format:
      return true
    default: return isMiddleDot
    }
  }

  /// A character that IDNA treats as a dot between labels (UTS 46 §2.3).
  var isDot: Bool { self == "." || self == "\u{ff0e}" || self == "\u{ff61}" || self == "\u{3002}" }

  /// An invisible character that shapes its neighbours, in Persian or in emoji.
  var isJoiner: Bool { self == "\u{200c}" || self == "\u{200d}" }

  /// A letter of a script other than Latin, so that a Latin name may start or end beside it.
  var isForeignToLatin: Bool {
    switch value {
    case 0..<0x250, 0x300..<0x370, 0x1e00..<0x1f00, 0xff00..<0xff60: false
    default: true
    }
  }

  /// A character that joins the text before and after it, so that no bare name starts after it.
  var joinsWords: Bool {
    switch self {
    case "@", "/", ".", "-", "_", "\\", "#", "$", "%", "&", "+", "=", "~": true
    default: false
    }
  }

  /// A character that starts a path, query or fragment.
  var beginsRest: Bool { self == "/" || self == "?" || self == "#" }

  /// Returns whether a link continues with this character, which follows `previous`.
  func mayStandInURL(after previous: Unicode.Scalar) -> Bool {
    if isASCII {
      switch self {
      case "<", ">", "\"", "`", "\\", "|": return false
      default: return value > 0x20 && value != 0x7f
      }
    }
    switch properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .openPunctuation,
      .closePunctuation, .initialPunctuation, .finalPunctuation, .surrogate, .unassigned:
      return false
    case .format: return isJoiner && !previous.isASCII
    case .otherPunctuation: return isMiddleDot
    case .dashPunctuation: return self != "\u{2014}" && self != "\u{2015}"
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
      return previous.mayPrecedeSymbolInURL
    default: return true
    }
  }

  /// A dot inside of words: `Paral·lel`, `レオナルド・ダ・ヴィンチ`, `馬克‧吐溫`.
  var isMiddleDot: Bool {
    self == "\u{b7}" || self == "\u{2027}" || self == "\u{30fb}" || self == "\u{ff65}"
  }

  /// A sign that is part of a word between letters of its script: `らき☆すた`, `צה״ל`, `བོད་ཡིག`.
  ///
  /// Emoji are between words.
  var standsInsideWords: Bool {
    switch self {
    // Signs of Hebrew, Tibetan, Ethiopic and Armenian words; the wide equals sign and tilde.
    case "\u{5f3}", "\u{5f4}", "\u{f0b}", "\u{f0c}", "\u{1361}", "\u{55b}", "\u{55c}", "\u{55e}",
      "\u{ff1d}", "\u{ff5e}":
      true
    default:
      properties.generalCategory == .otherSymbol && !properties.isEmojiPresentation
    }
  }

  /// Whether an emoji after this character is part of a URL: `/🔥` is, `/page🔥` is not.
  private var mayPrecedeSymbolInURL: Bool {
    if isASCII { return self == "/" || self == "=" || self == "-" || self == "_" || self == "+" }
    switch properties.generalCategory {
    case .mathSymbol, .modifierSymbol, .otherSymbol, .nonspacingMark, .format: return true
    default: return false
    }
  }
}
