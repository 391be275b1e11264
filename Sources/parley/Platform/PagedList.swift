internal import Basics
internal import ArgumentParser
internal import ParleyProtocol

/// A list of the Platform API and its presentation as text.
struct PagedList {
  /// The path of the request.
  let path: String
  /// The parameters that select elements.
  let query: [(String, String)]
  /// The member of the response that holds the elements.
  let member: String
  /// The text for an empty list.
  let whenEmpty: String
  /// The lines for the elements of the next page.
  let lines: ([JSONNode]) -> [String]

  init(
    _ path: String, query: [(String, String)] = [], member: String, whenEmpty: String,
    lines: @escaping ([JSONNode]) -> [String]
  ) {
    self.path = path
    self.query = query
    self.member = member
    self.whenEmpty = whenEmpty
    self.lines = lines
  }

  /// Creates a list that is shown as a table.
  init(
    _ path: String, query: [(String, String)] = [], member: String, whenEmpty: String,
    columns: [TextTable.Column], row: @escaping (JSONNode) -> [String]
  ) {
    var table = TextTable(columns)
    self.init(path, query: query, member: member, whenEmpty: whenEmpty) { elements in
      for element in elements { table.add(row(element)) }
      return table.takeLines()
    }
  }
}

/// Options for paging through a list.
struct PageOptions: ParsableArguments {
  private static let standardLimit = 20

  @Option(
    help: ArgumentHelp(
      "Elements per page, 1 to 100. (default: \(standardLimit))", valueName: "count"))
  var limit: Int?

  // A token may begin with a hyphen.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The page token printed after the previous page.", valueName: "token"))
  var token: String?

  @Flag(help: "Show all pages; with --json, as one array.")
  var all = false

  func validate() throws {
    guard (1...100).contains(limit ?? 1) else {
      throw ValidationError("--limit is \(limit ?? 0); 1 to 100 is expected")
    }
    guard !all || limit == nil else {
      throw ValidationError("--all lists everything and cannot be combined with --limit")
    }
  }

  /// The query parameters.
  var query: [(String, String)] {
    [("limit", String(limit ?? Self.standardLimit))] + (token.map { [("token", $0)] } ?? [])
  }

  /// Returns the line with the token of the next page, if there is one.
  static func more(_ page: JSONNode) -> [String] {
    guard let next = page["next"]?.string, !next.isEmpty else { return [] }
    return ["next page: --token \(ShellWord.quote(DisplayText.shortened(next))), or --all"]
  }

  /// Prints one page of a list, or all pages.
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

/// Reads a list page by page.
struct PageWalk {
  private static let pageSize = "100"

  let client: PlatformClient
  let list: PagedList

  /// Passes the elements of each page to `take`.
  ///
  /// - Parameter token: The token of the first page; `nil` for the beginning of the list.
  func forEachPage(from token: String?, _ take: ([JSONNode]) throws -> Void) throws {
    var token = token
    repeat {
      let place = token.map { [("token", $0)] } ?? []
      let answer = try client.callPatiently(
        "GET", list.path, query: list.query + [("limit", Self.pageSize)] + place)
      let page = try OutputOptions.root(of: answer)
      try take(page.list(list.member))
      let next = page.text("next")
      guard next.isEmpty || next != token else {
        throw CommandFailure.unreachable(
          "paging stopped: the server returned the same page token twice")
      }
      token = next.isEmpty ? nil : next
    } while token != nil
  }
}
