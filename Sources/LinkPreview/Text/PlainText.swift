/// Turns text of a page into text for people: one line, without what could forge its surroundings.
package enum PlainText {
  /// White space folded to single spaces and trimmed; control and bidirectional formatting
  /// characters removed; at most `limit` Unicode scalars.
  ///
  /// What is cut is cut between characters as people see them, within reason.
  package static func clean(_ text: String, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    var length = 0
    var owesSpace = false
    for scalar in text.unicodeScalars {
      if isWhitespace(scalar) {
        owesSpace = length > 0
        continue
      }
      if isRemoved(scalar) { continue }
      if owesSpace {
        guard length + 1 < limit else { break }
        result.append(" ")
        length += 1
        owesSpace = false
      }
      guard length < limit else { return cut(String(result), before: scalar) }
      result.append(scalar)
      length += 1
    }
    return String(result)
  }

  /// How many scalars at the end may be given up for a whole character.
  private static let longestCharacter = 16

  /// The text without its last character if `next` would have been a part of it.
  private static func cut(_ text: String, before next: Unicode.Scalar) -> String {
    guard let last = text.last, last.unicodeScalars.count <= longestCharacter else { return text }
    var joined = String(last)
    joined.unicodeScalars.append(next)
    guard joined.count == 1 else { return text }
    let rest = text.dropLast()
    return String(rest.last == " " ? rest.dropLast() : rest)
  }

  /// Whether nothing but a space, if at all, is left of it.
  static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    isWhitespace(scalar) || isRemoved(scalar)
  }

  /// Unicode's property White_Space, but for U+0085, which goes with the control characters.
  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0d, 0x20, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
      true
    default: false
    }
  }

  private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
