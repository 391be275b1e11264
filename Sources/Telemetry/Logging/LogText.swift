/// Texts from outside made fit for a log: bounded, and with nothing in them that a terminal or a
/// reader of lines would act on.
enum LogText {
  /// The longest text that is logged in full, in Unicode scalars.
  static let longest = 8192

  /// Replaces control characters by escapes, and cuts the text after ``longest`` scalars.
  static func escaped(_ text: String, quoting: Bool = false) -> String {
    var output = ""
    for scalar in text.unicodeScalars.prefix(longest) {
      append(scalar, to: &output, quoting: quoting)
    }
    if text.unicodeScalars.dropFirst(longest).first != nil { output.append("…") }
    return output
  }

  /// A metadata value: bare when it is one plain word, else in quotes.
  static func value(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.unicodeScalars.allSatisfy(isPlainScalar)
    return isPlain ? escaped(text) : "\"\(escaped(text, quoting: true))\""
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func isPlainScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar != " " && scalar != "\"" && scalar != "=" && scalar != "\\" && !isControl(scalar)
  }

  private static func append(
    _ scalar: Unicode.Scalar, to output: inout String, quoting: Bool
  ) {
    switch scalar {
    case "\n": output += "\\n"
    case "\r": output += "\\r"
    case "\t": output += "\\t"
    case "\\": output += "\\\\"
    case "\"" where quoting: output += "\\\""
    case _ where isControl(scalar): output += "\\u{\(String(scalar.value, radix: 16))}"
    default: output.unicodeScalars.append(scalar)
    }
  }
}
