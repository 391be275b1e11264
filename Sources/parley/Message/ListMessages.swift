internal import ArgumentParser

/// Shows messages.
struct ListMessages: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List a channel's latest messages, in the order of time.")

  @OptionGroup var channel: ChannelArgument

  @Option(help: ArgumentHelp("How many at most, 1 to 200.", valueName: "count"))
  var limit = 20

  @OptionGroup var filter: MessageFilterOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...200).contains(limit) else {
      throw ValidationError("--limit is \(limit); 1 to 200 is expected")
    }
  }

  func run() throws {
    let answer = try gateway.client().call(
      "GET", "\(channel.path)/messages", query: filter.query(before: filter.before, limit: limit))
    try output.show(answer, as: MessageText.lines(ofPage:))
  }
}
