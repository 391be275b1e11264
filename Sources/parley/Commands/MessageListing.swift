internal import ArgumentParser
internal import ParleyProtocol

extension MessageCommand {
  /// Lists messages.
  struct List: ParsableCommand {
    private static let standardLimit = 20

    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the latest messages of a channel, oldest first.",
      discussion: """
        EXAMPLES:
          parley message list lobby --limit 50 --from ada
          parley message list lobby --all --json > lobby.json
        """)

    @OptionGroup var channel: EitherChannelArgument

    @Option(
      help: ArgumentHelp(
        "Messages to list, 1 to 200. (default: \(standardLimit))", valueName: "count"))
    var limit: Int?

    @Flag(help: "List all messages from the first one; with --json, as one array.")
    var all = false

    @OptionGroup var filter: MessageFilterOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...200).contains(limit ?? 1) else {
        throw ValidationError("--limit is \(limit ?? 0); 1 to 200 is expected")
      }
      guard !all || limit == nil else {
        throw ValidationError("--all lists everything and cannot be combined with --limit")
      }
    }

    func run() throws {
      let client = try gateway.client()
      guard all else {
        let query = filter.query(before: filter.before, limit: limit ?? Self.standardLimit)
        let answer = try client.call("GET", "\(channel.path)/messages", query: query)
        return try output.show(answer, as: MessageText.lines(ofPage:))
      }
      let walk = MessageWalk(client: client, channel: channel, filter: filter)
      try output.stream({ $0.map(MessageText.line(ofMessage:)) }, whenEmpty: "no messages") {
        try walk.forEachPage($0)
      }
    }
  }
}

extension MessageCommand {
  /// Searches messages by their text.
  struct Search: ParsableCommand {
    private static let pageSize = 200

    static let configuration = CommandConfiguration(
      commandName: "search", abstract: "Search the latest messages of a channel for a text.",
      discussion: """
        Case is ignored. Messages are read page by page, the latest first, and compared by this \
        program, up to --scan messages.
        """)

    @OptionGroup var channel: EitherChannelArgument

    @Argument(help: "The text to search for.")
    var text: String

    @Option(help: ArgumentHelp("Messages to show, 1 to 1,000.", valueName: "count"))
    var limit = 20

    @Option(help: ArgumentHelp("Messages to compare, 1 to 1,000,000.", valueName: "count"))
    var scan = 10_000

    @OptionGroup var filter: MessageFilterOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !text.isEmpty else { throw ValidationError("the text to search for is empty") }
      guard (1...1_000).contains(limit), (1...1_000_000).contains(scan) else {
        throw ValidationError(
          "--limit is \(limit) and --scan is \(scan); 1 to 1000 and 1 to 1000000 are expected")
      }
    }

    func run() throws {
      let found = try matches()
      let answer = JSONWriter.bytes { writer in
        writer.object { object in
          object.member("messages", array: { for message in found { $0.value(raw: message.raw) } })
        }
      }
      try output.show(answer, as: MessageText.lines(ofPage:))
    }

    /// Returns the latest matches, oldest first.
    private func matches() throws -> [JSONNode] {
      let client = try gateway.client()
      let wanted = text.lowercased()
      var found: [JSONNode] = []
      var rest = scan
      var place = filter.before
      while rest > 0, found.count < limit {
        let query = filter.query(before: place, limit: min(rest, Self.pageSize))
        let answer = try client.call("GET", "\(channel.path)/messages", query: query)
        let page = try JSONDocument(answer).root.list("messages")
        guard let first = page.first?["message_id"]?.integer, first != place else { break }
        found += page.reversed().filter { $0.text("message").lowercased().contains(wanted) }
        rest -= page.count
        place = first
      }
      return found.prefix(limit).reversed()
    }
  }
}

/// Filters for lists of messages.
struct MessageFilterOptions: ParsableArguments {
  /// A time after every message, independent of this machine's clock.
  private static let endOfTime: Int64 = 9_007_199_254_740_991

  @Option(
    help: ArgumentHelp("Only messages before this one.", valueName: "message id"))
  var before: Int64?

  @Option(help: ArgumentHelp("Only messages of this author; repeatable.", valueName: "user id"))
  var from: [String] = []

  @Option(help: ArgumentHelp("Only messages of this custom type; repeatable.", valueName: "type"))
  var customType: [String] = []

  func validate() throws {
    guard !(from + customType).contains(where: { $0.contains(",") }) else {
      throw ValidationError("--from and --custom-type cannot contain a comma")
    }
  }

  /// Returns the parameters for the messages before another one, or for the latest.
  func query(before id: Int64?, limit: Int) -> [(String, String)] {
    var query = [("prev_limit", String(limit)), ("next_limit", "0"), ("include", "false")]
    if let id {
      query.append(("message_id", String(id)))
    } else {
      query.append(("message_ts", String(Self.endOfTime)))
    }
    return query + choice
  }

  /// Returns the parameters for the messages after another one, or for the first.
  func query(after id: Int64?, limit: Int) -> [(String, String)] {
    let place = id.map { ("message_id", String($0)) } ?? ("message_ts", "0")
    return [place, ("prev_limit", "0"), ("next_limit", String(limit)), ("include", "false")]
      + choice
  }

  private var choice: [(String, String)] {
    var query: [(String, String)] = []
    if !from.isEmpty { query.append(("sender_ids", from.joined(separator: ","))) }
    if !customType.isEmpty { query.append(("custom_types", customType.joined(separator: ","))) }
    return query
  }
}

/// Reads all messages of a channel page by page, oldest first.
struct MessageWalk {
  private static let pageSize = 200

  let client: PlatformClient
  let channel: EitherChannelArgument
  let filter: MessageFilterOptions

  /// Passes the messages of each page to `take` until the end of the list or of the filter.
  func forEachPage(_ take: ([JSONNode]) throws -> Void) throws {
    var last: Int64?
    while true {
      let answer = try client.callPatiently(
        "GET", "\(channel.path)/messages", query: filter.query(after: last, limit: Self.pageSize))
      let root = try OutputOptions.root(of: answer)
      let page = root.list("messages")
      let wanted = page.prefix { isWanted($0) }
      try take(Array(wanted))
      guard wanted.count == page.count, root["has_next"]?.bool == true,
        let end = root["next_from"]?.integer, end != last
      else { return }
      last = end
    }
  }

  private func isWanted(_ message: JSONNode) -> Bool {
    guard let before = filter.before, let id = message["message_id"]?.integer else { return true }
    return id < before
  }
}
