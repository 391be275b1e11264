internal import Basics

/// The texts of elements in the answers of S3, which know neither attributes nor mixed content where
/// they matter.
struct XMLText {
  private let text: Substring

  init(_ text: String) { self.text = text[...] }

  private init(_ text: Substring) { self.text = text }

  /// The contents of all elements of this name, in order.
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

  /// The text of the first element of this name.
  func value(_ name: String) -> String? {
    elements(name).first.map { Self.decode($0.text) }
  }

  /// Whether there is an element of this name, with attributes or without.
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

/// Texts in XML.
enum XMLEncoding {
  static func encode(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}

/// Points in time as S3 writes them, as far as they are compared: to the second, and alike in order.
enum S3Time {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970 of `2026-11-22T16:49:16.000Z`.
  static func seconds(ofListing text: String) -> Int? {
    let parts = text.prefix(19).split(whereSeparator: { "-T:".contains($0) })
      .compactMap { Int(decimal: $0) }
    guard parts.count == 6 else { return nil }
    return seconds(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])
  }

  /// Seconds since 1970 of `Sun, 22 Nov 2026 16:49:16 GMT`.
  static func seconds(ofDate text: String) -> Int? {
    let parts = text.split(whereSeparator: { " :".contains($0) })
    guard parts.count == 8, let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let numbers = [parts[1], parts[3], parts[4], parts[5], parts[6]].compactMap {
      Int(decimal: $0)
    }
    guard numbers.count == 5 else { return nil }
    return seconds(numbers[1], month + 1, numbers[0], numbers[2], numbers[3], numbers[4])
  }

  /// The days are counted from the first of March, so that leap days come last (of a year).
  private static func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int
  ) -> Int? {
    guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let shifted = month > 2 ? year : year - 1
    let monthDays = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
    let leapDays = shifted / 4 - shifted / 100 + shifted / 400
    let days = shifted * 365 + leapDays + monthDays + day - 1 - 719_468
    return days * 86_400 + hour * 3_600 + minute * 60 + second
  }
}
