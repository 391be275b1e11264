internal import Foundation

/// Whether texts are emphasised for a terminal.
enum TextStyle {
  case plain
  case coloured

  /// Coloured on a terminal, unless the environment says NO_COLOR.
  static let standard: TextStyle = {
    let environment = ProcessInfo.processInfo.environment
    let forbids = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    let isCapable = environment["TERM"] != "dumb"
    return Terminal.isOutput && isCapable && !forbids ? .coloured : .plain
  }()

  func bold(_ text: String) -> String { emphasise(text, "1") }
  func dim(_ text: String) -> String { emphasise(text, "2") }
  func red(_ text: String) -> String { emphasise(text, "31") }
  func yellow(_ text: String) -> String { emphasise(text, "33") }
  func cyan(_ text: String) -> String { emphasise(text, "36") }

  private func emphasise(_ text: String, _ code: String) -> String {
    switch self {
    case .plain: text
    case .coloured: "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
  }
}
