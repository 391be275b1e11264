/// How many columns of a terminal a text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// 2 for East Asian characters and emoji, 0 for what joins the one before, else 1.
  static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    let properties = first.properties
    if properties.generalCategory == .nonspacingMark || properties.generalCategory == .enclosingMark
      || properties.generalCategory == .format
    {
      return 0
    }
    let hasEmojiStyle = character.unicodeScalars.contains { $0.value == 0xfe0f }
    return properties.isEmojiPresentation || hasEmojiStyle || isWide(first.value) ? 2 : 1
  }

  /// The beginning of a text that fits, with a mark when something had to go.
  static func fit(_ text: String, into width: Int) -> String {
    guard of(text) > width else { return text }
    var rest = width - 1
    let kept = text.prefix { character in
      rest -= of(character)
      return rest >= 0
    }
    return width > 0 ? kept + "…" : ""
  }

  /// The wide blocks of Unicode's East Asian Width.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
      0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff01...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      true
    default: false
    }
  }
}
