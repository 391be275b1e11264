/// Options of access that stand before the command, as in `parley --server URL status`.
///
/// The commands define these options themselves, so they are moved to the end of the line.
enum LeadingOptions {
  private static let names: Set = [
    "--server", "--ca-certificate", "--profile", "--profile-file", "--api-token",
    "--api-token-file", "--user", "--access-token",
  ]
  private static let flags: Set = ["--json"]

  /// The same arguments with the leading options behind the command and its own arguments.
  static func moved(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    while let first = rest.first, let length = length(of: first) { rest = rest.dropFirst(length) }
    // Without a command there is nothing to move them behind, and any other option is an error.
    guard let command = rest.first, !command.hasPrefix("-") else { return arguments }
    let leading = arguments[..<rest.startIndex]
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return Array(rest[..<end] + leading + rest[end...])
  }

  /// How many arguments an option takes up with its value; `nil` for what is none of them.
  private static func length(of argument: String) -> Int? {
    if flags.contains(argument) { return 1 }
    if names.contains(argument) { return 2 }
    guard let equals = argument.firstIndex(of: "="), names.contains(String(argument[..<equals]))
    else { return nil }
    return 1
  }
}
