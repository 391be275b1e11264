/// An input line with a cursor and a history.
struct LineEditor {
  /// The result of pressing a key.
  enum Outcome: Equatable {
    case unchanged
    case changed
    case submitted(String)
    case ended
  }

  /// The longest line in characters; further characters are ignored.
  static let limit = 5_000
  private static let historyLimit = 100

  private var characters: [Character] = []
  private var cursor = 0
  private var history: [String] = []
  /// The position of the line in the history; the end stands for a new line.
  private var place = 0

  /// The current line.
  var text: String { String(characters) }

  /// Applies a key.
  mutating func press(_ key: Key) -> Outcome {
    switch key {
    case .text(let character): insert(character)
    case .enter: submit()
    case .backspace: remove(max(0, cursor - 1)..<cursor)
    case .delete: remove(cursor..<min(characters.count, cursor + 1))
    case .deleteWord: remove(startOfWord..<cursor)
    case .deleteToStart: remove(0..<cursor)
    case .deleteToEnd: remove(cursor..<characters.count)
    case .left: move(to: cursor - 1)
    case .right: move(to: cursor + 1)
    case .home: move(to: 0)
    case .end: move(to: characters.count)
    case .up: recall(place - 1)
    case .down: recall(place + 1)
    case .redraw: .changed
    case .interrupt: .ended
    case .endOfInput:
      characters.isEmpty ? .ended : remove(cursor..<min(characters.count, cursor + 1))
    }
  }

  /// Replaces the line with a text, with the cursor at its end, if the line is empty.
  mutating func offer(_ text: String) -> Outcome {
    guard characters.isEmpty, text.count <= Self.limit else { return .unchanged }
    characters = Array(text)
    cursor = characters.count
    return .changed
  }

  /// Returns the part of the line around the cursor that fits a width, and the cursor's column in it.
  func window(width: Int) -> (text: String, column: Int) {
    var start = cursor
    var column = 0
    while start > 0, column + DisplayWidth.of(characters[start - 1]) < width {
      start -= 1
      column += DisplayWidth.of(characters[start])
    }
    var end = cursor
    var total = column
    while end < characters.count, total + DisplayWidth.of(characters[end]) < width {
      total += DisplayWidth.of(characters[end])
      end += 1
    }
    return (String(characters[start..<end]), column)
  }

  private mutating func insert(_ character: Character) -> Outcome {
    guard characters.count < Self.limit else { return .unchanged }
    characters.insert(character, at: cursor)
    cursor += 1
    return .changed
  }

  private mutating func remove(_ range: Range<Int>) -> Outcome {
    guard !range.isEmpty else { return .unchanged }
    characters.removeSubrange(range)
    cursor = range.lowerBound
    return .changed
  }

  private mutating func move(to position: Int) -> Outcome {
    cursor = min(max(0, position), characters.count)
    return .changed
  }

  private var startOfWord: Int {
    var start = cursor
    while start > 0, characters[start - 1] == " " { start -= 1 }
    while start > 0, characters[start - 1] != " " { start -= 1 }
    return start
  }

  private mutating func submit() -> Outcome {
    let line = text
    if !line.isEmpty, history.last != line { history.append(line) }
    if history.count > Self.historyLimit { history.removeFirst() }
    place = history.count
    characters = []
    cursor = 0
    return .submitted(line)
  }

  private mutating func recall(_ wanted: Int) -> Outcome {
    guard (0...history.count).contains(wanted) else { return .unchanged }
    place = wanted
    characters = wanted < history.count ? Array(history[wanted]) : []
    cursor = characters.count
    return .changed
  }
}
