extension JSONParser {
  /// Reads `-? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?` (RFC 8259 §6).
  mutating func parseNumber() throws(JSONError) {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    if skip(UInt8(ascii: "0")) {
      guard !isDigitNext else { throw syntax("a number may not begin with 0") }
    } else {
      try skipDigits()
    }
    if skip(UInt8(ascii: ".")) { try skipDigits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
      try skipDigits()
    }
    try appendScalar(.number, from: start)
  }

  private var isDigitNext: Bool {
    peek().map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  private mutating func skipDigits() throws(JSONError) {
    guard isDigitNext else { throw syntax("a digit is expected") }
    while isDigitNext { position += 1 }
  }
}
