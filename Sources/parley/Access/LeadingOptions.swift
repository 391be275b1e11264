/// Moves options before the command, as in `parley --server URL status`, to the end of the line.
///
/// The commands define these options themselves.
enum LeadingOptions {
  private static let names: Set = [
    "--server", "--ca-certificate", "--profile", "--profile-file", "--api-token",
    "--api-token-file", "--user", "--access-token",
  ]
  private static let flags: Set = ["--json"]

  /// Returns the arguments with leading options moved after the command and its own arguments.
  static func moved(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    while let first = rest.first, let length = length(of: first) { rest = rest.dropFirst(length) }
    // Without a command there is nothing to do; the parser reports other leading options.
    guard let command = rest.first, !command.hasPrefix("-") else { return arguments }
    let leading = arguments[..<rest.startIndex]
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return Array(rest[..<end] + leading + rest[end...])
  }

  /// Returns the number of arguments of an option and its value; `nil` for other arguments.
  private static func length(of argument: String) -> Int? {
    if flags.contains(argument) { return 1 }
    if names.contains(argument) { return 2 }
    guard let equals = argument.firstIndex(of: "="), names.contains(String(argument[..<equals]))
    else { return nil }
    return 1
  }
}
