@_spi(_Unicode) import Swift

/// A text as a word filter reads it: in folded case, without accents and without characters that are not shown.
struct FoldedMessage {
  private(set) var scalars: [UInt32] = []
  /// For each of them the character of the text that it comes from, from 0.
  private(set) var places: [Int32] = []

  init(_ text: String) {
    let count = text.utf8.count
    scalars.reserveCapacity(count)
    places.reserveCapacity(count)
    var place: Int32 = 0
    for scalar in text.unicodeScalars {
      let value = scalar.value
      if value < 0x80 {
        append((0x41...0x5A).contains(value) ? value | 0x20 : value < 0x20 ? 0x20 : value, place)
      } else if scalar.hasNoVariants {
        append(value, place)
      } else {
        for part in scalar.foldedParts { append(part, place) }
      }
      place += 1
    }
  }

  private mutating func append(_ value: UInt32, _ place: Int32) {
    scalars.append(value)
    places.append(place)
  }

  /// Whether a word ends before a place, or begins there; scripts without spaces have such a place
  /// between any two characters.
  func isBoundary(before place: Int) -> Bool {
    guard place > 0, place < scalars.count else { return true }
    let (last, next) = (scalars[place - 1], scalars[place])
    return !last.isInWord || !next.isInWord || last.isWrittenWithoutSpaces
      || next.isWrittenWithoutSpaces
  }
}

extension Unicode.Scalar {
  /// Whether it is among the frequent characters that folding leaves as they are: Han and Hangul.
  fileprivate var hasNoVariants: Bool {
    switch value {
    case 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
    default: false
    }
  }

  /// The characters that stand for it; none for an accent, and for a character that is not shown.
  fileprivate var foldedParts: [UInt32] {
    // Wide forms of ASCII.
    if (0xFF01...0xFF5E).contains(value) {
      let narrow = value - 0xFEE0
      return [(0x41...0x5A).contains(narrow) ? narrow | 0x20 : narrow]
    }
    if properties.isWhitespace { return [0x20] }
    if properties.isDefaultIgnorableCodePoint || isAccent { return [] }
    var parts: [UInt32] = []
    for part in String(Character(self))._nfd where !part.isAccent {
      // Its upper case is that of the dotted i, which is another letter.
      guard part.value != 0x131 else {
        parts.append(part.value)
        continue
      }
      // Three mappings unify letters that one keeps apart, such as ẞ, ß and ss.
      for lower in part.properties.lowercaseMapping.unicodeScalars {
        for upper in lower.properties.uppercaseMapping.unicodeScalars {
          parts += upper.properties.lowercaseMapping.unicodeScalars.map(\.value)
        }
      }
    }
    return parts
  }

  /// Whether it is an accent, or a vowel sign that words are usually written without.
  private var isAccent: Bool {
    switch value {
    case 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7,
      0x610...0x61A, 0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7...0x6E8,
      0x6EA...0x6ED, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
      true
    default: false
    }
  }
}

extension UInt32 {
  /// Whether a character is a part of words: a letter, a digit or a mark.
  fileprivate var isInWord: Bool {
    if self < 0x80 {
      return (0x30...0x39).contains(self) || (0x61...0x7A).contains(self)
    }
    guard let properties = Unicode.Scalar(self)?.properties else { return false }
    return properties.isAlphabetic || properties.numericType != nil
      || properties.generalCategory == .nonspacingMark
      || properties.generalCategory == .spacingMark
  }

  /// Whether words of its script follow each other without spaces: Han, kana, Thai, Lao, Khmer, Burmese.
  fileprivate var isWrittenWithoutSpaces: Bool {
    switch self {
    case 0xE01...0xE4E, 0xE81...0xECE, 0x1000...0x109D, 0x1780...0x17DD, 0x3005...0x3007,
      0x3041...0x30FF, 0x3105...0x312F, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xF900...0xFAFF, 0xFF66...0xFF9F, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
