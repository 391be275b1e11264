internal import Reactor

extension String {
  /// Returns the text padded with spaces to a width in columns.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - DisplayWidth.of(self)))
  }
}

/// Measures texts in columns of a terminal.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// Returns 2 for East Asian characters and emoji, 0 for combining characters, else 1.
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

  /// Returns the beginning of a text that fits, with an ellipsis if it was cut.
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

/// The emphasis of texts on a terminal.
enum TextStyle {
  case plain
  case coloured

  /// Coloured on a terminal, unless NO_COLOR is set.
  static let standard: TextStyle = {
    let environment = ProcessEnvironment.variables
    let forbids = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    let isCapable = environment["TERM"] != "dumb"
    return Terminal.isOutput && isCapable && !forbids ? .coloured : .plain
  }()

  func bold(_ text: String) -> String { emphasise(text, "1") }
  func dim(_ text: String) -> String { emphasise(text, "2") }
  func red(_ text: String) -> String { emphasise(text, "31") }
  func yellow(_ text: String) -> String { emphasise(text, "33") }
  func cyan(_ text: String) -> String { emphasise(text, "36") }

  private func emphasise(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .coloured: "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
  }
}

/// Quotes words for a shell.
enum ShellWord {
  /// Returns the text in single quotes if it needs them.
  static func quote(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
