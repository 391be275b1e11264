/// Makes untrusted text safe to display: limited in length, and without characters that affect the
/// surrounding text or the terminal.
///
/// | function | for | unsafe characters |
/// | --- | --- | --- |
/// | `line` | people, in one line | removed, white space folded |
/// | `escaped`, `quoted` | logs and operators | escaped, so that nothing is lost |
/// | `harmless` | JSON in terminals and files | escaped as JSON does |
/// | `excerpt` | errors sent to clients | replaced by U+FFFD |
package enum DisplayText {
  /// Returns the text as one line: white space folded to single spaces and trimmed, control and
  /// bidirectional formatting characters removed, at most `limit` Unicode scalars.
  ///
  /// The text is cut between user-perceived characters, within reason.
  package static func line(_ text: String, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    var length = 0
    var owesSpace = false
    for scalar in text.unicodeScalars {
      if isWhitespace(scalar) {
        owesSpace = length > 0
        continue
      }
      if scalar.actsOnItsSurroundings { continue }
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

  /// Returns the text as one line, which ends with an ellipsis when it was cut.
  package static func shortened(_ text: String, limit: Int = 200) -> String {
    let line = line(text, limit: limit)
    return line == self.line(text, limit: .max) ? line : line + "…"
  }

  /// Escapes the characters of JSON text that a terminal would interpret.
  ///
  /// Apart from white space, they occur only within strings.
  package static func harmless(json: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
      guard scalar.actsOnItsSurroundings, !["\n", "\r", "\t"].contains(scalar) else {
        text.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        text.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
      }
    }
    return String(text)
  }

  /// Escapes control and format characters and backslashes, and cuts after `limit` scalars.
  package static func escaped(_ text: String, limit: Int) -> String {
    bounded(text, limit) { scalar, output in append(scalar, to: &output) }
  }

  /// Returns the text in quotation marks, escaped and cut as by ``escaped(_:limit:)``.
  package static func quoted(_ text: String, limit: Int = 80) -> String {
    let inner = bounded(text, limit) { scalar, output in
      if scalar == "\"" { output.append("\\\"") } else { append(scalar, to: &output) }
    }
    return "\"\(inner)\""
  }

  /// Returns a name or path: unquoted when it is plain ASCII without spaces, otherwise quoted.
  package static func name(_ text: String, limit: Int = 80) -> String {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
    return isPlain && (1...limit).contains(text.utf8.count) ? text : quoted(text, limit: limit)
  }

  /// Returns the text in quotation marks, for a client's error: characters that affect their
  /// surroundings are replaced, and the text is cut after `limit` scalars.
  package static func excerpt(_ text: String, limit: Int = 40) -> String {
    let inner = bounded(text, limit) { scalar, output in
      output.unicodeScalars.append(scalar.actsOnItsSurroundings ? "\u{fffd}" : scalar)
    }
    return "\"\(inner)\""
  }

  /// Whether a character by itself shows nothing but a space, such as one of zero width.
  package static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    if isWhitespace(scalar) || scalar.actsOnItsSurroundings { return true }
    return !scalar.isASCII
      && (scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}")
  }

  private static func bounded(
    _ text: String, _ limit: Int, _ append: (Unicode.Scalar, inout String) -> Void
  ) -> String {
    var output = ""
    for scalar in text.unicodeScalars.prefix(limit) { append(scalar, &output) }
    if text.unicodeScalars.dropFirst(limit).first != nil { output.append("…") }
    return output
  }

  private static func append(_ scalar: Unicode.Scalar, to output: inout String) {
    switch scalar {
    case "\n": output += "\\n"
    case "\r": output += "\\r"
    case "\t": output += "\\t"
    case "\\": output += "\\\\"
    case _ where scalar.isUnseen: output += "\\u{\(String(scalar.value, radix: 16))}"
    default: output.unicodeScalars.append(scalar)
    }
  }

  /// The maximum number of scalars removed from the end to avoid splitting a character.
  private static let longestCharacter = 16

  /// The text without its last character if `next` would have been part of it.
  private static func cut(_ text: String, before next: Unicode.Scalar) -> String {
    guard let last = text.last, last.unicodeScalars.count <= longestCharacter else { return text }
    var joined = String(last)
    joined.unicodeScalars.append(next)
    guard joined.count == 1 else { return text }
    let rest = text.dropLast()
    return String(rest.last == " " ? rest.dropLast() : rest)
  }

  /// Unicode's property White_Space except U+0085, which counts as a control character.
  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0d, 0x20, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
      true
    default: false
    }
  }
}

extension Unicode.Scalar {
  /// Whether this is a control character: C0, DELETE or C1.
  package var isControl: Bool {
    value < 0x20 || (0x7f...0x9f).contains(value)
  }

  /// Whether a character affects more than the text that contains it.
  ///
  /// Terminals interpret control characters as commands, and line breaks and directional formatting
  /// affect text outside a name. Joiners and directional marks act only inside it: emoji sequences and
  /// names in right-to-left scripts need them.
  package var actsOnItsSurroundings: Bool {
    switch value {
    case 0x2028...0x2029, 0x202a...0x202e, 0x2066...0x2069: true
    default: isControl
    }
  }

  /// Whether a character is invisible: control and format characters, including joiners, and line
  /// separators.
  package var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
