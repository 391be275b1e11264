internal import ArgumentParser
internal import HTTP1
internal import ParleyProtocol

/// Bans and mutes.
struct ModerationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moderation",
    abstract: "Ban and mute users in a channel.",
    discussion: """
      EXAMPLES:
        parley moderation mute lobby jeff --seconds 600 --reason "too loud"
        parley moderation ban lobby jeff
        parley moderation update-ban lobby jeff --seconds 86400
        parley moderation show lobby jeff
        parley moderation list lobby mute
      """,
    subcommands: [
      Ban.self, UpdateBan.self, Unban.self, Mute.self, Unmute.self,
      List.self, Show.self,
    ])
}

extension ModerationCommand {
  /// Put a user out of a channel and keep it out.
  struct Ban: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ban", abstract: "Put a user out of a channel and keep it out.")

    @OptionGroup var restriction: RestrictionOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let target = restriction.target
      let answer = try gateway.client().call(
        "POST", "\(target.channel.path)/ban", body: restriction.body)
      try output.show(
        answer, as: "\(target.user) is banned in \(target.channel.url) \(restriction.duration)")
    }
  }
}

extension ModerationCommand {
  /// Changes a ban that is in force.
  struct UpdateBan: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update-ban", abstract: "Change how long a user stays banned, or why.",
      discussion: """
        What is not given stays. To change a mute, mute again: the later one replaces it.

        EXAMPLES:
          parley moderation update-ban lobby jeff --seconds 3600
          parley moderation update-ban lobby jeff --reason "spam, again"
        """)

    @OptionGroup var target: RestrictionTarget

    @Option(
      help: ArgumentHelp("How long from now on; -1 for ten years.", valueName: "seconds"))
    var seconds: Int64?

    @Option(help: ArgumentHelp("Why, told to the channel.", valueName: "text"))
    var reason: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard seconds != nil || reason != nil else {
        throw ValidationError("give --seconds, --reason or both")
      }
    }

    func run() throws {
      var body = RequestBody()
      body.set("seconds", seconds)
      body.set("description", reason)
      let answer = try gateway.client().call("PUT", target.path("ban"), body: body)
      try output.show(answer) { RestrictionText.lines($0, .ban, of: target) }
    }
  }
}

extension ModerationCommand {
  /// Ends a user's ban before its time.
  struct Unban: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unban", abstract: "End a user's ban before its time.")

    @OptionGroup var target: RestrictionTarget
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", target.path("ban"))
      try output.show(answer, as: "\(target.user) is no longer banned in \(target.channel.url)")
    }
  }
}

extension ModerationCommand {
  /// Let a user read in a channel but not send.
  struct Mute: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mute", abstract: "Let a user read in a channel but not send.")

    @OptionGroup var restriction: RestrictionOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let target = restriction.target
      let answer = try gateway.client().call(
        "POST", "\(target.channel.path)/mute", body: restriction.body)
      try output.show(
        answer, as: "\(target.user) is muted in \(target.channel.url) \(restriction.duration)")
    }
  }
}

extension ModerationCommand {
  /// Ends a user's mute before its time.
  struct Unmute: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unmute", abstract: "End a user's mute before its time.")

    @OptionGroup var target: RestrictionTarget
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", target.path("mute"))
      try output.show(answer, as: "\(target.user) is no longer muted in \(target.channel.url)")
    }
  }
}

extension ModerationCommand {
  /// Shows who is banned or muted.
  struct List: ParsableCommand {
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
}

extension ModerationCommand {
  /// Shows a user's ban or mute.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show since when, how long and why a user is banned or muted.",
      discussion: """
        Without a ban the exit status is 1; a user who is not muted is told of as such.

        EXAMPLES:
          parley moderation show lobby jeff
          parley moderation show lobby jeff mute
        """)

    @OptionGroup var target: RestrictionTarget

    @Argument(help: "Which: ban or mute.")
    var kind = RestrictionKind.ban

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", target.path(kind.rawValue))
      try output.show(answer) { RestrictionText.lines($0, kind, of: target) }
    }
  }
}

/// What a user may be kept from in a channel.
enum RestrictionKind: String, ExpressibleByArgument, CaseIterable {
  case ban
  case mute

  /// The member of a page that lists them.
  var listName: String { "\(past)_list" }
  /// What one of them is.
  var past: String { self == .ban ? "banned" : "muted" }
}

/// Who in which channel.
struct RestrictionTarget: ParsableArguments {
  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The user.", valueName: "user id"))
  var user: String

  /// The place of a user's restriction of some kind in the Platform API.
  func path(_ kind: String) -> String {
    "\(channel.path)/\(kind)/\(PercentEncoding.encode(pathPart: user))"
  }
}

/// Whom a restriction is for, how long and why.
struct RestrictionOptions: ParsableArguments {
  @OptionGroup var target: RestrictionTarget

  @Option(help: ArgumentHelp("How long; -1 for ten years.", valueName: "seconds"))
  var seconds: Int64 = -1

  @Option(help: ArgumentHelp("Why, told to the channel.", valueName: "text"))
  var reason: String?

  /// The members of the call.
  var body: RequestBody {
    var body = RequestBody()
    body.set("user_id", target.user)
    body.set("seconds", seconds)
    body.set("description", reason)
    return body
  }

  /// For how long, in words.
  var duration: String { seconds < 0 ? "for ten years" : "for \(seconds) seconds" }
}

/// Bans and mutes, for people.
enum RestrictionText {
  /// The columns of a table of them.
  static let columns: [TextTable.Column] = [
    .text("user"), .text("nickname"), .text("state"), .text("until"), .text("reason"),
  ]

  /// One of them in such a table.
  static func row(_ entry: JSONNode, _ kind: RestrictionKind) -> [String] {
    // A ban has its user as a member; a mute is its user with more members.
    let user = entry.present("user") ?? entry
    return [
      user.text("user_id"), user.text("nickname"), kind.past, entry.time("end_at"),
      entry.text("description"),
    ]
  }

  /// One of them with all that is known of it.
  static func lines(
    _ entry: JSONNode, _ kind: RestrictionKind, of target: RestrictionTarget
  )
    -> [String]
  {
    var fields = FieldList()
    fields.add("user", target.user)
    fields.add("nickname", entry.present("user")?.text("nickname"))
    fields.add("channel", target.channel.url)
    let isInForce = kind == .ban || entry.isTrue("is_muted")
    fields.add("state", isInForce ? kind.past : "not \(kind.past)")
    fields.add("since", entry.time("start_at"))
    fields.add("until", entry.time("end_at"))
    if let rest = entry["remaining_duration"]?.integer, rest > 0 {
      fields.add("still", Milliseconds.inWords(rest))
    }
    fields.add("reason", entry.text("description"))
    return fields.lines()
  }
}
