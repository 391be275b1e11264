/// Lines of comma-separated values (RFC 4180).
///
/// A spreadsheet would take a text that begins like a formula for one: such a text gets an apostrophe in
/// front.
package struct CSVLine {
  /// The characters that may be between cells.
  package static let delimiters: [Character] = [",", ";", "|", "\t"]

  private let delimiter: UInt8
  private var hasCells = false
  package private(set) var bytes: [UInt8]

  /// - Parameters:
  ///   - delimiter: One of ``delimiters``.
  ///   - bytes: The lines before.
  package init(delimiter: Character, after bytes: consuming [UInt8] = []) {
    precondition(Self.delimiters.contains(delimiter), "cells cannot be separated by \(delimiter)")
    self.delimiter = delimiter.asciiValue ?? UInt8(ascii: ",")
    self.bytes = bytes
  }

  /// Appends a cell with a text that users may have written.
  package mutating func append(_ text: String) {
    separate()
    let content = text.utf8
    guard content.contains(where: mustBeQuoted) else {
      if let first = content.first, Self.beginsFormula(first) { bytes.append(UInt8(ascii: "'")) }
      bytes.append(contentsOf: content)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    if let first = content.first, Self.beginsFormula(first) { bytes.append(UInt8(ascii: "'")) }
    for byte in content {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a cell with a number.
  package mutating func append(_ number: Int64) {
    separate()
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Appends a cell with `true` or `false`.
  package mutating func append(_ claim: Bool) {
    separate()
    bytes.append(contentsOf: (claim ? "true" : "false").utf8)
  }

  /// Ends the line.
  package mutating func end() {
    bytes.append(UInt8(ascii: "\r"))
    bytes.append(UInt8(ascii: "\n"))
    hasCells = false
  }

  private mutating func separate() {
    if hasCells { bytes.append(delimiter) }
    hasCells = true
  }

  private func mustBeQuoted(_ byte: UInt8) -> Bool {
    byte == delimiter || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\r")
      || byte == UInt8(ascii: "\n")
  }

  private static func beginsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      true
    default: false
    }
  }
}
