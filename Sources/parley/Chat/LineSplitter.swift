/// Cuts lines out of bytes that come in pieces.
struct LineSplitter {
  /// Longer lines are cut; a message is shorter anyway.
  static let limit = 65_536

  private var rest: [UInt8] = []

  /// The lines that are complete now.
  mutating func receive(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines += finish()
      } else {
        rest.append(byte)
        if rest.count >= Self.limit { lines += finish() }
      }
    }
    return lines
  }

  /// What is left at the end; an empty line is none.
  mutating func finish() -> [String] {
    defer { rest = [] }
    let line = String(decoding: rest, as: UTF8.self)
    return line.isEmpty ? [] : [line]
  }
}
