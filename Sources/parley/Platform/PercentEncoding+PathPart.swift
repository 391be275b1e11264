internal import HTTP1

extension PercentEncoding {
  /// Encodes one part of a path; `.` and `..` stay names.
  static func encode(pathPart text: String) -> String {
    text == "." || text == ".." ? text.replacing(".", with: "%2E") : encode(text)
  }
}
