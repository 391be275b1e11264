/// The words for yes and no.
enum ToggleText {
  /// Reads one; `nil` when it is neither.
  static func read(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }
}
