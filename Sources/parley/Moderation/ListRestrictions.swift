internal import ArgumentParser

/// Shows who is banned or muted.
struct ListRestrictions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List who is banned or muted in a channel.",
    discussion: """
      EXAMPLES:
        parley moderation list lobby
        parley moderation list lobby mute --all

      Without a kind, bans come first and mutes after them; --json then prints one answer for each.
      """)

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "Which: ban or mute; both unless given.")
  var kind: RestrictionKind?

  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard kind != nil || page.token == nil else {
      throw ValidationError("--token belongs to one list: name ban or mute")
    }
  }

  func run() throws {
    for kind in kind.map({ [$0] }) ?? RestrictionKind.allCases { try show(kind) }
  }

  private func show(_ kind: RestrictionKind) throws {
    let list = PagedList(
      "\(channel.path)/\(kind.rawValue)", member: kind.listName,
      whenEmpty: "nobody is \(kind.past)", columns: RestrictionText.columns
    ) { RestrictionText.row($0, kind) }
    try page.show(list, gateway, output)
  }
}
