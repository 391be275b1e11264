internal import ArgumentParser
internal import Foundation
internal import ParleyProtocol

/// A list of the Platform API, and how it looks to people.
struct PagedList {
  /// Where it is, from the root.
  let path: String
  /// What selects among its elements.
  let query: [(String, String)]
  /// The member of an answer that has the elements.
  let member: String
  /// What is said of a list without elements.
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

  /// A list that is shown as a table.
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
    return ["more: --token \(ShellWord.quote(PlainLine.clean(next))), or --all"]
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

/// Follows a list from page to page, of which one is held at a time.
struct PageWalk {
  private static let pageSize = "100"

  let client: PlatformClient
  let list: PagedList

  /// Hands over the elements of each page until the list ends.
  ///
  /// - Parameter token: Where to begin; `nil` for the list's beginning.
  func forEachPage(from token: String?, _ take: ([JSONNode]) throws -> Void) throws {
    var token = token
    repeat {
      let place = token.map { [("token", $0)] } ?? []
      let answer = try client.callPatiently(
        list.path, query: list.query + [("limit", Self.pageSize)] + place)
      let page = try OutputOptions.root(of: answer)
      try take(page.list(list.member))
      let next = page.text("next")
      guard next.isEmpty || next != token else {
        throw CommandFailure.unreachable("the list does not go on: its next page is the same again")
      }
      token = next.isEmpty ? nil : next
    } while token != nil
  }
}

extension PlatformClient {
  private static let tooManyCalls = 500_910
  private static let patience = 10

  /// Reads, and waits when it was too soon: a long list takes many calls.
  func callPatiently(_ path: String, query: [(String, String)]) throws -> [UInt8] {
    for _ in 0..<Self.patience {
      do {
        return try call("GET", path, query: query)
      } catch CommandFailure.refused(_, Self.tooManyCalls) {
        Thread.sleep(forTimeInterval: 1)
      }
    }
    return try call("GET", path, query: query)
  }
}
