internal import Basics

/// The texts of elements in the answers of S3, whose relevant parts have neither attributes nor mixed
/// content.
struct XMLText {
  private let text: Substring

  init(_ text: String) { self.text = text[...] }

  private init(_ text: Substring) { self.text = text }

  /// The contents of all elements with this name, in order.
  func elements(_ name: String) -> [XMLText] {
    var found: [XMLText] = []
    var rest = text
    while let start = rest.firstRange(of: "<\(name)>") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: "</\(name)>") else { break }
      found.append(XMLText(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return found
  }

  /// The text of the first element with this name.
  func value(_ name: String) -> String? {
    elements(name).first.map { Self.decode($0.text) }
  }

  /// Whether there is an element with this name, with or without attributes.
  func contains(_ name: String) -> Bool {
    ["<\(name)>", "<\(name) ", "<\(name)/"].contains { text.contains($0) }
  }

  private static func decode(_ text: Substring) -> String {
    guard text.contains("&") else { return String(text) }
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"),
      ("&#39;", "'"), ("&amp;", "&"),
    ]
    return entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
  }
}

/// The encoding of texts in XML.
enum XMLEncoding {
  static func encode(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}

/// Times in the formats of S3, in seconds, so that they can be compared.
enum S3Time {
  /// Seconds since 1970 of `2026-11-22T16:49:16.000Z`.
  static func seconds(ofListing text: String) -> Int64? {
    let parts = text.prefix(19).split(whereSeparator: { "-T:".contains($0) })
      .compactMap { Int(decimal: $0) }
    guard parts.count == 6 else { return nil }
    return CivilTime(
      year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
      second: parts[5])?.unixSeconds
  }

  /// Seconds since 1970 of `Sun, 22 Nov 2026 16:49:16 GMT`.
  static func seconds(ofDate text: String) -> Int64? { HTTPDate(text)?.seconds }
}
