extension SearchQuery {
  /// Whether all terms occur in the texts of a message.
  package func matches(_ text: SearchedText) -> Bool {
    !terms.isEmpty && terms.allSatisfy { term in text.parts.contains { term.occurs(in: $0) } }
  }

  /// How well a text matches: higher for terms that occur often, in whole words and in short texts.
  ///
  /// A term counts less with each occurrence, so that repeating a word does not help much.
  package func score(_ text: SearchedText) -> Double {
    let length = Double(text.parts.reduce(0) { $0 + $1.count })
    let weight = 1.2 * (0.25 + 0.75 * length / 10)
    return terms.reduce(0) { sum, term in
      let count = text.parts.reduce(0) { $0 + term.weight(in: $1) }
      return sum + count / (count + weight)
    }
  }
}

extension SearchQuery.Term {
  func occurs(in text: [TextUnit]) -> Bool {
    guard units.count <= text.count else { return false }
    return (0...(text.count - units.count)).contains { occurs(in: text, at: $0) }
  }

  /// The number of occurrences; the beginning of a longer word counts half.
  fileprivate func weight(in text: [TextUnit]) -> Double {
    guard units.count <= text.count else { return 0 }
    let starts = (0...(text.count - units.count)).filter { occurs(in: text, at: $0) }
    return starts.reduce(0) { sum, start in
      let end = start + units.count - 1
      if case .word = text[end], text[end] != units.last { return sum + 0.5 }
      return sum + 1
    }
  }

  private func occurs(in text: [TextUnit], at start: Int) -> Bool {
    units.indices.allSatisfy { index in
      switch (units[index], text[start + index]) {
      case (.word(let word), .word(let other)):
        endsOpen && index == units.count - 1 ? other.startsExactly(with: word) : other == word
      case (.emoji(let emoji), .emoji(let other)): emoji == other
      case (.run(let run), .run(let other)): occurs(run, in: other, at: index)
      case (.word, _), (.emoji, _), (.run, _): false
      }
    }
  }

  /// A run alone may be anywhere in another; with neighbours it must be next to them.
  private func occurs(
    _ run: [Unicode.Scalar], in other: [Unicode.Scalar], at index: Int
  ) -> Bool {
    switch (index == 0, index == units.count - 1) {
    case (true, true): other.hasPart(run)
    case (true, false): other.reversed().starts(with: run.reversed())
    case (false, true): other.starts(with: run)
    case (false, false): other == run
    }
  }
}

extension String {
  /// Whether it begins with the same characters, which may be a part of a grapheme.
  fileprivate func startsExactly(with prefix: String) -> Bool {
    utf8.starts(with: prefix.utf8)
  }
}

extension [Unicode.Scalar] {
  fileprivate func hasPart(_ part: [Unicode.Scalar]) -> Bool {
    guard part.count <= count else { return false }
    return (0...(count - part.count)).contains { self[$0...].starts(with: part) }
  }
}
