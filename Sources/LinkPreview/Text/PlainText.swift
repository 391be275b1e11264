/// Turns text of a page into text for people: one line, without what could forge its surroundings.
package enum PlainText {
  /// White space folded to single spaces and trimmed; control and bidirectional formatting
  /// characters removed; at most `limit` Unicode scalars.
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
      guard length < limit else { break }
      result.append(scalar)
      length += 1
    }
    return String(result)
  }

  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar == " " || (0x09...0x0d).contains(scalar.value) }
    return scalar.properties.isWhitespace && scalar.value != 0x85
  }

  private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
