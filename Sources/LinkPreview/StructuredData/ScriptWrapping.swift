/// Takes off what old templates put around a script's text: comments and CDATA marks.
enum ScriptWrapping {
  /// Neither JSON's beginning nor its end can look like one of these.
  private static let openings = [
    "<!--", "-->", "<![CDATA[", "//", "/*", "*/", ">", "\u{feff}",
  ]
  private static let closings = ["-->", "]]>", "<!", "//", "/*", "*/", ";"]

  /// - Complexity: O(*n*), however many marks there are: each end is trimmed from its own side.
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
