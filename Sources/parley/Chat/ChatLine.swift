/// What a typed line asks for.
enum ChatLine: Equatable {
  case nothing
  case message(String)
  case participants
  case withheld
  case help
  case quit
  case unknown(String)

  /// A line that begins with a slash is a command, unless with two: then it is text with one.
  init(_ line: String) {
    let text = line.trimmingWhitespace
    guard text.hasPrefix("/"), !text.hasPrefix("//") else {
      self =
        text.isEmpty ? .nothing : .message(text.hasPrefix("//") ? String(text.dropFirst()) : text)
      return
    }
    switch text {
    case "/quit", "/exit": self = .quit
    case "/who": self = .participants
    case "/more": self = .withheld
    case "/help": self = .help
    default: self = .unknown(text)
    }
  }
}

extension String {
  fileprivate var trimmingWhitespace: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
