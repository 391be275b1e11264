internal import ArgumentParser
internal import ParleyProtocol

extension ModerationCommand {
  /// Lists the bans and mutes of all channels.
  struct ListAll: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list-all",
      abstract: "List bans and mutes of all channels and groups, newest first.",
      discussion: """
        EXAMPLES:
          parley moderation list-all
          parley moderation list-all mute --user jeff
          parley moderation list-all --channel lobby --all
        """)

    @Argument(help: "The list: ban or mute. (default: both)")
    var kind: RestrictionOption?

    @Option(help: ArgumentHelp("Only restrictions of this user.", valueName: "user id"))
    var user: String?

    @Option(help: ArgumentHelp("Only restrictions in this channel or group.", valueName: "url"))
    var channel: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let filters = [("kind", kind?.rawValue), ("user_id", user), ("channel_url", channel)]
      let list = PagedList(
        "/v3/parley/restrictions",
        query: filters.compactMap { name, value in value.map { (name, $0) } },
        member: "restrictions", whenEmpty: "no bans and mutes",
        columns: RestrictionText.placedColumns, row: RestrictionText.placedRow)
      try page.show(list, gateway, output)
    }
  }
}
