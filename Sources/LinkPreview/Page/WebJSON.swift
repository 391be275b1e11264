import Basics
import ParleyProtocol

/// Parses JSON as found on the web: with the strict parser, after repairing harmless errors.
///
/// Line breaks inside strings and halves of surrogate pairs come from templates that insert and
/// truncate text; a browser would reject the former, but neither is ambiguous. Objects with
/// duplicate members are still rejected.
enum WebJSON {
  static func document(
    _ bytes: [UInt8], limits: JSONLimits
  ) throws(JSONError) -> JSONDocument {
    // The length is checked before anything is copied.
    guard bytes.count <= limits.byteCount else {
      throw JSONError(.limit, at: 0, "the text is longer than \(limits.byteCount) bytes")
    }
    return try JSONDocument(repaired(bytes), limits: limits)
  }

  private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x20 {
        bytes[index] = 0x20
      } else if bytes[index] == UInt8(ascii: "\\") {
        index += repairEscape(at: index, in: &bytes)
        continue
      }
      index += 1
    }
    return bytes
  }

  /// - Returns: The length of the escape.
  private static func repairEscape(at index: Int, in bytes: inout [UInt8]) -> Int {
    guard let unit = codeUnit(at: index, in: bytes) else { return 2 }
    guard UTF16.isSurrogate(unit) else { return 6 }
    if UTF16.isLeadSurrogate(unit), let next = codeUnit(at: index + 6, in: bytes),
      UTF16.isTrailSurrogate(next)
    {
      return 12
    }
    bytes.replaceSubrange((index + 2)..<(index + 6), with: "fffd".utf8)
    return 6
  }

  /// Returns the number in a `\uXXXX` at this index.
  private static func codeUnit(at index: Int, in bytes: [UInt8]) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt16 = 0
    for digit in bytes[(index + 2)..<(index + 6)] {
      guard let value = digit.hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }
}

/// Removes what old templates put around a script's text: comments and CDATA marks.
enum ScriptWrapping {
  /// JSON can neither start nor end with one of these.
  private static let openings = [
    "<!--", "-->", "<![CDATA[", "//", "/*", "*/", ">", "\u{feff}",
  ]
  private static let closings = ["-->", "]]>", "<!", "//", "/*", "*/", ";"]

  /// - Complexity: O(*n*), for any number of marks: each end is trimmed separately.
  static func unwrap(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = trimmingStart(text)
    while let mark = openings.first(where: { rest.starts(with: $0.utf8) }) {
      rest = trimmingStart(rest.dropFirst(mark.utf8.count))
    }
    rest = trimmingEnd(rest)
    while let mark = closings.first(where: { rest.suffix($0.utf8.count).elementsEqual($0.utf8) }) {
      rest = trimmingEnd(rest.dropLast(mark.utf8.count))
    }
    return rest
  }

  private static func trimmingStart(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.drop { $0 <= 0x20 }
  }

  private static func trimmingEnd(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text[..<(text.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? text.startIndex)]
  }
}
