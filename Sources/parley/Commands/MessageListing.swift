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
          parley message list lobby --with file --mentioning ada
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

  /// A property by which messages can be listed.
  enum Content: String, ExpressibleByArgument, CaseIterable {
    case file
    case link
  }

  @Option(
    help: ArgumentHelp("Only messages that mention this user or all users.", valueName: "user id"))
  var mentioning: String?

  @Option(help: "Only messages with a file or a link; repeatable.")
  var with: [Content] = []

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
    if let mentioning { query.append(("mentioned_user_id", mentioning)) }
    for content in with { query.append(("has_\(content)", "true")) }
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
