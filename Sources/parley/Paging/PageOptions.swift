internal import ArgumentParser
internal import Bytes
internal import ParleyProtocol

/// Which part of a list is shown.
struct PageOptions: ParsableArguments {
  private static let standardLimit = 20

  @Option(
    help: ArgumentHelp(
      "How many to show at most, 1 to 100; \(standardLimit) unless given.", valueName: "count"))
  var limit: Int?

  @Option(help: ArgumentHelp("Where the list before ended.", valueName: "token"))
  var token: String?

  @Flag(help: "Show the list to its end, page by page; as JSON, one array of what is listed.")
  var all = false

  func validate() throws {
    guard (1...100).contains(limit ?? 1) else {
      throw ValidationError("--limit is \(limit ?? 0); 1 to 100 is expected")
    }
    guard !all || limit == nil else {
      throw ValidationError("--all shows everything: --limit can't go with it")
    }
  }

  /// The parameters of the call.
  var query: [(String, String)] {
    [("limit", String(limit ?? Self.standardLimit))] + (token.map { [("token", $0)] } ?? [])
  }

  /// How to go on, where there is more.
  static func more(_ page: JSONNode) -> [String] {
    guard let next = page["next"]?.string, !next.isEmpty else { return [] }
    return ["more: --token \(ShellWord.quote(DisplayText.shortened(next))), or --all"]
  }

  /// Shows a page of a list, or the list to its end.
  func show(_ list: PagedList, _ gateway: GatewayOptions, _ output: OutputOptions) throws {
    let client = try gateway.client()
    guard all else {
      let answer = try client.call("GET", list.path, query: list.query + query)
      return try output.show(answer) { page in
        let lines = list.lines(page.list(list.member))
        return (lines.isEmpty ? [list.whenEmpty] : lines) + Self.more(page)
      }
    }
    let walk = PageWalk(client: client, list: list)
    try output.stream(list.lines, whenEmpty: list.whenEmpty) {
      try walk.forEachPage(from: token, $0)
    }
  }
}
