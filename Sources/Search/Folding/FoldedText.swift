@_spi(_Unicode) import Swift

/// The folded form of texts, in which case, accents and width make no difference.
///
/// A character becomes what it stands for (NFKD) without accents, in folded case. Syllables of Hangul and
/// letters of kana stay whole, since their parts are not accents.
enum FoldedText {
  /// The characters of a text, folded.
  static func scalars(of text: String) -> [Unicode.Scalar] {
    var mapped = String.UnicodeScalarView()
    var isComposed = true
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        mapped.append(
          scalar.properties.isUppercase ? Unicode.Scalar(scalar.value | 0x20) ?? scalar : scalar)
      } else if scalar.isWhole {
        mapped.append(scalar)
      } else if !scalar.isAccent {
        isComposed = false
        for part in CompatibilityForms.form(of: scalar) ?? [scalar] {
          mapped.append(contentsOf: part.caseFolded)
        }
      }
    }
    guard !isComposed else { return Array(mapped) }
    var decomposed = String.UnicodeScalarView()
    for scalar in String(mapped)._nfd where !scalar.isAccent { decomposed.append(scalar) }
    return Array(String(decomposed)._nfc)
  }
}

extension Unicode.Scalar {
  /// Whether it is among the frequent characters that folding leaves as they are.
  ///
  /// The marks of kana are not: they may belong to the character before.
  fileprivate var isWhole: Bool {
    switch value {
    case 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x3041...0x3096, 0x30A1...0x30FC, 0x0E01...0x0E32: true
    default: false
    }
  }

  /// The characters that stand for it when it is folded apart from its neighbours; none for an accent.
  package var folded: [Unicode.Scalar] {
    if isWhole { return [self] }
    if isAccent { return [] }
    return (CompatibilityForms.form(of: self) ?? [self]).flatMap { part in
      String(Character(part))._nfd.filter { !$0.isAccent }.flatMap { Array($0.caseFolded) }
    }
  }

  /// Whether it is an accent, or a vowel sign that words are usually written without.
  fileprivate var isAccent: Bool {
    switch value {
    case 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7,
      0x610...0x61A, 0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7...0x6E8,
      0x6EA...0x6ED, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
      true
    default: false
    }
  }
}
