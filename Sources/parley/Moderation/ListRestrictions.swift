internal import ArgumentParser

/// Shows who is banned or muted.
struct ListRestrictions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List who is banned or muted in a channel.",
    discussion: """
      EXAMPLES:
        parley moderation list lobby
        parley moderation list lobby mute --all
      """)

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "Which: ban or mute.")
  var kind = RestrictionKind.ban

  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let list = PagedList(
      "\(channel.path)/\(kind.rawValue)", member: kind.listName,
      whenEmpty: "nobody is \(kind.past)", columns: RestrictionText.columns,
      row: RestrictionText.row)
    try page.show(list, gateway, output)
  }
}
