internal import ArgumentParser
internal import ParleyProtocol

/// Which part of a list is shown.
struct PageOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How many to show at most, 1 to 100.", valueName: "count"))
  var limit = 20

  @Option(help: ArgumentHelp("Where the list before ended.", valueName: "token"))
  var token: String?

  func validate() throws {
    guard (1...100).contains(limit) else {
      throw ValidationError("--limit is \(limit); 1 to 100 is expected")
    }
  }

  /// The parameters of the call.
  var query: [(String, String)] {
    [("limit", String(limit))] + (token.map { [("token", $0)] } ?? [])
  }

  /// How to go on, where there is more.
  static func more(_ page: JSONNode) -> [String] {
    guard let next = page["next"]?.string, !next.isEmpty else { return [] }
    return ["more: --token \(ShellWord.quote(PlainLine.clean(next)))"]
  }
}
