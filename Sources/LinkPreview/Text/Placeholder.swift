internal import Basics

/// Values that programs output for missing data, such as `undefined`, `[object Object]` and
/// `{{ title }}`.
enum Placeholder {
  /// Returns whether a complete text is a placeholder, in any case.
  static func isText(_ bytes: [UInt8]) -> Bool {
    let text = bytes.trimmingASCIIWhitespace()
    guard !text.isEmpty, text.count <= longest else { return false }
    if isWord(text, among: words) { return true }
    return delimiters.contains { start, end in
      text.starts(with: start.utf8) && text.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
  }

  /// Whether an address is, contains, or ends with a placeholder: `https://example.com/undefined`.
  static func isAddress(_ bytes: [UInt8]) -> Bool {
    let address = bytes.trimmingASCIIWhitespace()
    if isText(bytes) || isWord(address, among: addresses) { return true }
    let path = address.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let slash = path.lastIndex(of: UInt8(ascii: "/")),
      isWord(path[(slash + 1)...], among: segments)
    {
      return true
    }
    return openings.contains { opening in
      address.indices.contains { address[$0...].starts(with: opening.utf8) }
    }
  }

  private static func isWord(_ text: ArraySlice<UInt8>, among words: Set<String>) -> Bool {
    text.count <= 16 && words.contains(String(decoding: text.asciiLowercased(), as: UTF8.self))
  }

  private static let longest = 256
  private static let words: Set<String> = [
    "undefined", "null", "(null)", "<null>", "nan", "none", "nil",
  ]
  private static let delimiters = [
    ("[object ", "]"), ("{{", "}}"), ("{%", "%}"), ("${", "}"), ("<%", "%>"),
  ]

  /// These would resolve to the page itself, or to a sibling.
  private static let addresses: Set<String> = ["#", "-", "0", "1", "true", "false", "n/a"]
  private static let segments: Set<String> = ["undefined", "null", "nan"]
  private static let openings = ["[object ", "[object%20", "{{", "%7B%7B", "${", "<%"]
}
