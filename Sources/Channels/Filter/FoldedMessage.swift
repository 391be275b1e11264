import Search

/// A text as a word filter reads it: folded as in search, without characters that are
/// not shown.
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
      } else {
        for part in scalar.shownParts { append(part, place) }
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
  /// The characters that a filter reads in its place; none for an accent, and for a character that is not
  /// shown.
  fileprivate var shownParts: [UInt32] {
    if properties.isWhitespace { return [0x20] }
    if properties.isDefaultIgnorableCodePoint { return [] }
    return folded.map(\.value)
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
