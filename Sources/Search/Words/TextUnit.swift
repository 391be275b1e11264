/// A unit of a text that search can find.
package enum TextUnit: Hashable, Sendable {
  /// A folded word.
  case word(String)
  /// Neighbouring characters of a script that is written without spaces.
  case run([Unicode.Scalar])
  /// An emoji without its variation and its skin tone.
  case emoji(String)
}

extension TextUnit {
  /// The units of a text in their order; none of a text that has only punctuation.
  package static func all(in text: String) -> [TextUnit] {
    if let words = asciiWords(in: text) { return words.map(TextUnit.word) }
    var reading = UnitReading(FoldedText.scalars(of: text))
    return reading.units()
  }

  /// The words of a text; `nil` if it has characters beyond ASCII.
  private static func asciiWords(in text: String) -> [String]? {
    var text = text
    return text.withUTF8 { bytes in
      var words: [String] = []
      var word: [UInt8] = []
      for byte in bytes {
        switch byte {
        case 0x30...0x39, 0x61...0x7A: word.append(byte)
        case 0x41...0x5A: word.append(byte | 0x20)
        case 0x80...: return nil
        default:
          guard !word.isEmpty else { continue }
          words.append(String(decoding: word, as: UTF8.self))
          word.removeAll(keepingCapacity: true)
        }
      }
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      return words
    }
  }
}

/// Divides folded characters into units.
private struct UnitReading {
  /// The maximum number of characters of an emoji.
  private static let emojiLimit = 16

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var found: [TextUnit] = []
  private var word = String.UnicodeScalarView()
  private var run: [Unicode.Scalar] = []

  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  mutating func units() -> [TextUnit] {
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      switch ScalarKind(scalar) {
      case .letter:
        endRun()
        word.append(scalar)
      case .run:
        endWord()
        run.append(scalar)
      case .ignored: continue
      case .separator:
        endWord()
        endRun()
      case .emoji:
        endWord()
        endRun()
        readEmoji(scalar)
      }
    }
    endWord()
    endRun()
    return found
  }

  /// Reads the rest of an emoji: the other half of a flag, tags, and emoji that are joined to it.
  private mutating func readEmoji(_ first: Unicode.Scalar) {
    var emoji = [first]
    var isJoined = false
    while position < scalars.count, emoji.count < Self.emojiLimit {
      let next = scalars[position]
      if next.isTag || (isJoined && ScalarKind(next) == .emoji) {
        emoji.append(next)
        isJoined = false
      } else if next.isFlagLetter, emoji.count == 1, first.isFlagLetter {
        emoji.append(next)
      } else if next.isJoiner {
        isJoined = true
      } else if !next.isSkinTone, !next.properties.isVariationSelector {
        break
      }
      position += 1
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: emoji)
    found.append(.emoji(String(text)))
  }

  private mutating func endWord() {
    guard !word.isEmpty else { return }
    found.append(.word(String(word)))
    word = String.UnicodeScalarView()
  }

  private mutating func endRun() {
    guard !run.isEmpty else { return }
    found.append(.run(run))
    run = []
  }
}
