/// Takes off what old templates put around a script's text: comments and CDATA marks.
enum ScriptWrapping {
  /// Neither JSON's beginning nor its end can look like one of these.
  private static let openings = [
    "<!--", "-->", "<![CDATA[", "//", "/*", "*/", ">", "\u{feff}",
  ]
  private static let closings = ["-->", "]]>", "<!", "//", "/*", "*/", ";"]

  static func unwrap(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = text.trimmingASCIIWhitespace()
    while let mark = openings.first(where: { rest.starts(with: $0.utf8) }) {
      rest = rest.dropFirst(mark.utf8.count).trimmingASCIIWhitespace()
    }
    while let mark = closings.first(where: { rest.suffix($0.utf8.count).elementsEqual($0.utf8) }) {
      rest = rest.dropLast(mark.utf8.count).trimmingASCIIWhitespace()
    }
    return rest
  }
}
