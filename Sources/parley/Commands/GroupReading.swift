internal import ArgumentParser
internal import Basics
internal import ParleyProtocol
internal import Reactor

extension GroupCommand {
  /// Lists groups.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List groups, newest first.",
      discussion: """
        With --user, the list has the groups in which that user is a member, also those that it has \
        hidden, with the number of messages that it has not read.
        """)

    @Option(help: ArgumentHelp("Only groups of this user.", valueName: "user id"))
    var user: String?

    @Option(help: ArgumentHelp("Only groups whose name contains this text.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Only groups of this custom type; repeatable.", valueName: "type"))
    var customType: [String] = []

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var query = [("show_empty", "true")]
      if let name { query.append(("name_contains", name)) }
      if !customType.isEmpty { query.append(("custom_types", customType.joined(separator: ","))) }
      guard let user else {
        let list = PagedList(
          ChannelKind.group.path, query: query, member: "channels", whenEmpty: "no groups",
          columns: ChannelText.groupColumns, row: ChannelText.row(ofGroup:))
        return try page.show(list, gateway, output)
      }
      query.append(("hidden_mode", "all"))
      let list = PagedList(
        "\(UserPath.of(user))/my_group_channels", query: query, member: "channels",
        whenEmpty: "no groups", columns: ChannelText.groupColumns + [.number("unread")],
        row: { ChannelText.row(ofGroup: $0) + [$0.number("unread_message_count")] })
      try page.show(list, gateway, output)
    }
  }
}

extension GroupCommand {
  /// Hides a group from a member's list.
  struct Hide: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "hide", abstract: "Hide a group from the list of a member.",
      discussion: "The next message shows the group again, unless it is archived.")

    @OptionGroup var change: MembershipArguments

    @Flag(help: "Hide the group until 'unhide'.")
    var archive = false

    @Flag(help: "Begin the member's history again: it no longer sees the messages before.")
    var clear = false

    func run() throws {
      var body = change.body
      if archive { body.set("allow_auto_unhide", false) }
      if clear { body.set("hide_previous_messages", true) }
      try change.perform("hide", body, as: "has hidden")
    }
  }
}

extension GroupCommand {
  /// Shows a hidden group again.
  struct Unhide: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unhide", abstract: "Show a hidden group in the list of a member again.")

    @OptionGroup var change: MembershipArguments

    func run() throws {
      let answer = try change.gateway.client().call(
        "DELETE", "\(change.group.path)/hide", query: [("user_id", change.user)])
      try change.output.show(answer, as: "\(change.user) sees \(change.group.url)")
    }
  }
}

extension GroupCommand {
  /// Marks a group as read.
  struct MarkRead: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mark-read", abstract: "Mark all messages of a group as read by a member.")

    @OptionGroup var change: MembershipArguments

    func run() throws { try change.perform("messages/mark_as_read", as: "has read") }
  }
}

extension GroupCommand {
  /// Prints the number of unread messages.
  struct Unread: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unread", abstract: "Print the number of messages that a user has not read.",
      discussion: """
        Without a group, the number is the total over all groups that the user has joined and not \
        hidden.
        """)

    @Argument(help: ArgumentHelp("The group's channel URL, such as trip.", valueName: "group"))
    var url: String?

    @Option(help: ArgumentHelp("The id of the user.", valueName: "user id"))
    var user: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let client = try gateway.client()
      guard let url else {
        let answer = try client.call("GET", "\(UserPath.of(user))/unread_message_count")
        return try output.show(answer) { [$0.number("unread_count")] }
      }
      let answer = try client.call(
        "GET", "\(ChannelKind.group.path(of: url))/messages/unread_count",
        query: [("user_ids", user)])
      try output.show(answer) { [$0["unread"]?.number(user) ?? "?"] }
    }
  }
}

extension GroupCommand {
  /// Lists the groups of a user that have changed.
  struct Changes: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "changes", abstract: "List the groups of a user that have changed.",
      discussion: """
        Each line begins with 'updated', or with 'deleted' for a group that the user is no longer \
        in, the oldest change first. The last line has the token to continue with. Changes are \
        kept for 30 days.
        """)

    @Option(help: ArgumentHelp("The id of the user.", valueName: "user id"))
    var user: String

    @Option(help: "The token that an earlier call printed.")
    var token: String?

    @Option(
      help: ArgumentHelp("List the changes of this time, if no token is given.", valueName: "time"))
    var last = TimeArgument(seconds: 86_400)

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let start =
        token.map { ("token", $0) }
        ?? ("change_ts", String(max(0, SystemClock.unixMilliseconds - last.milliseconds)))
      let answer = try gateway.client().call(
        "GET", "\(UserPath.of(user))/my_group_channels/changelogs", query: [start])
      try output.show(answer) { changes in
        let updated = changes.list("updated").map {
          "updated  \($0.text("channel_url"))  \(DisplayText.shortened($0.text("name")))"
        }
        let deleted = changes.list("deleted").map {
          "deleted  \(DisplayText.shortened($0.string ?? ""))"
        }
        let hasMore = changes["has_more"]?.bool == true
        return updated + deleted + ["\(hasMore ? "more" : "next")  \(changes.text("next"))"]
      }
    }
  }
}
