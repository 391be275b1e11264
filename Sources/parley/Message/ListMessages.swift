internal import ArgumentParser
internal import ParleyProtocol

/// Shows messages.
struct ListMessages: ParsableCommand {
  private static let standardLimit = 20

  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List a channel's latest messages, in the order of time.",
    discussion: """
      EXAMPLES:
        parley message list lobby --limit 50 --from ada
        parley message list lobby --all --json > lobby.json
      """)

  @OptionGroup var channel: ChannelArgument

  @Option(
    help: ArgumentHelp(
      "How many at most, 1 to 200; \(standardLimit) unless given.", valueName: "count"))
  var limit: Int?

  @Flag(help: "Show them from the very first on; as JSON, one array of messages.")
  var all = false

  @OptionGroup var filter: MessageFilterOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...200).contains(limit ?? 1) else {
      throw ValidationError("--limit is \(limit ?? 0); 1 to 200 is expected")
    }
    guard !all || limit == nil else {
      throw ValidationError("--all shows everything: --limit can't go with it")
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
