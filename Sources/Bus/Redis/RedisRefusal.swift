internal import Basics

/// An explanation of an error returned by a Redis server.
struct RedisRefusal {
  let reason: String

  /// Parses the server's line, which begins with a code.
  init(_ line: String) {
    let code = line.prefix { $0 != " " }
    let explanation: String? =
      switch code {
      case "NOAUTH": "the server demands a password"
      case "WRONGPASS": "the server refuses the user name or the password"
      case "NOPERM": "the user has no permission for a command or a channel"
      case "READONLY": "the server is a replica"
      case "LOADING": "the server is loading its data"
      case "MASTERDOWN": "the server is a replica without its master"
      case "MISCONF": "the server cannot save its data, and refuses commands"
      case "OOM": "the server is out of memory"
      default: nil
      }
    let shown = DisplayText.shortened(line)
    reason = explanation.map { "\($0) (\(shown))" } ?? "the server refuses a command: \(shown)"
  }
}
