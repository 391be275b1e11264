internal import ArgumentParser
internal import ParleyProtocol

/// Finds messages by their text.
struct SearchMessages: ParsableCommand {
  private static let pageSize = 200

  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find a channel's latest messages that have a text in them.",
    discussion: """
      Case does not matter. The messages are read page by page, the latest first, and looked through \
      here: at most --scan of them.
      """)

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "What is looked for.")
  var text: String

  @Option(help: ArgumentHelp("How many to show at most, 1 to 1,000.", valueName: "count"))
  var limit = 20

  @Option(help: ArgumentHelp("How many to look through at most.", valueName: "count"))
  var scan = 10_000

  @OptionGroup var filter: MessageFilterOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !text.isEmpty else { throw ValidationError("the text to look for is empty") }
    guard (1...1_000).contains(limit), (1...1_000_000).contains(scan) else {
      throw ValidationError("--limit goes from 1 to 1000, --scan from 1 to 1000000")
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

  /// The latest that match, in the order of time.
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
