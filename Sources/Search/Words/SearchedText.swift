/// The texts of a message that search finds it by: its own, and the name of its file.
package struct SearchedText: Sendable, Hashable {
  /// The units of each text; a phrase is within one.
  package var parts: [[TextUnit]]

  package init(text: String, fileName: String? = nil) {
    parts = [TextUnit.all(in: text)]
    if let fileName, !fileName.isEmpty { parts.append(TextUnit.all(in: fileName)) }
  }

  /// The tokens of an index: words, emoji, and of a run each two neighbours and the last character.
  package var tokens: [String] {
    var tokens: [String] = []
    for unit in parts.joined() {
      switch unit {
      case .word(let word): tokens.append(IndexToken.word(word))
      case .emoji(let emoji): tokens.append(emoji)
      case .run(let run):
        tokens += IndexToken.pairs(of: run)
        if let last = run.last { tokens.append(String(last)) }
      }
    }
    return tokens
  }

  /// The tokens that are words or emoji, each once.
  package var words: [String] {
    var known: Set<String> = []
    return parts.joined().compactMap { unit -> String? in
      switch unit {
      case .word(let word): IndexToken.word(word)
      case .emoji(let emoji): emoji
      case .run: nil
      }
    }.filter { known.insert($0).inserted }
  }

  /// The runs from whose characters the other tokens are made.
  package var runs: [String] {
    parts.joined().compactMap { unit in
      switch unit {
      case .run(let run): String(String.UnicodeScalarView(run))
      case .word, .emoji: nil
      }
    }
  }
}

/// The texts of tokens.
///
/// They consist of letters, digits, emoji and, in ``SearchPlace``, characters of private use.
enum IndexToken {
  /// Characters of a word that are in the index; the rest is compared with the text.
  private static let wordLimit = 32

  static func word(_ word: String) -> String {
    guard word.utf8.count > wordLimit else { return word }
    return String(String.UnicodeScalarView(word.unicodeScalars.prefix(wordLimit)))
  }

  static func pairs(of run: [Unicode.Scalar]) -> [String] {
    zip(run, run.dropFirst()).map { first, second in
      String(String.UnicodeScalarView([first, second]))
    }
  }
}

/// The tokens of a message's channel, so that a search reads only entries of channels that it may show.
package enum SearchPlace: Sendable, Hashable {
  /// Any open channel.
  case open
  /// A channel by the store's own number.
  case channel(Int64)

  package var token: String {
    switch self {
    case .open: "\u{E001}"
    case .channel(let id): "\u{E000}" + String(id, radix: 36)
    }
  }
}
