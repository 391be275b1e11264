internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol

/// Commands for bans and mutes.
struct ModerationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moderation",
    abstract: "Ban and mute users in a channel.",
    discussion: """
      EXAMPLES:
        parley moderation mute lobby jeff --seconds 10m --reason "too loud"
        parley moderation ban lobby jeff
        parley moderation update-ban lobby jeff --seconds 1d
        parley moderation show lobby jeff
        parley moderation list lobby mute
        parley moderation list-all --user jeff
      """,
    subcommands: [
      Ban.self, UpdateBan.self, Unban.self, Mute.self, Unmute.self,
      List.self, ListAll.self, Show.self,
    ])
}

extension ModerationCommand {
  /// Bans a user from a channel.
  struct Ban: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ban", abstract: "Ban a user from a channel.")

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
  /// Changes a ban.
  struct UpdateBan: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update-ban", abstract: "Change the duration or reason of a ban.",
      discussion: """
        Options that are not given keep their values. To change a mute, mute the user again.

        EXAMPLES:
          parley moderation update-ban lobby jeff --seconds 1h
          parley moderation update-ban lobby jeff --reason "spam, again"
        """)

    @OptionGroup var target: RestrictionTarget

    @Option(
      help: ArgumentHelp(
        "Duration from now in seconds, or with a unit: s, m, h or d. -1 for ten years.",
        valueName: "time"))
    var seconds: RestrictionDuration?

    @Option(
      name: [.long, .customLong("description")],
      help: ArgumentHelp("The reason, which participants see.", valueName: "text"))
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
      body.set("seconds", seconds?.seconds)
      body.set("description", reason)
      let answer = try gateway.client().call("PUT", target.path("ban"), body: body)
      try output.show(answer) { RestrictionText.lines($0, .ban, of: target) }
    }
  }
}

extension ModerationCommand {
  /// Ends a user's ban.
  struct Unban: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unban", abstract: "End the ban of a user.")

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
  /// Mutes a user in a channel.
  struct Mute: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mute", abstract: "Mute a user: the user may read in a channel but not send.")

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
  /// Ends a user's mute.
  struct Unmute: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unmute", abstract: "End the mute of a user.")

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
  /// Lists bans and mutes.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List banned and muted users of a channel.",
      discussion: """
        EXAMPLES:
          parley moderation list lobby
          parley moderation list lobby mute --all

        Without a kind, bans are listed before mutes, and --json prints one document for each list.
        """)

    @OptionGroup var channel: EitherChannelArgument

    @Argument(help: "The list: ban or mute. (default: both)")
    var kind: RestrictionOption?

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard kind != nil || page.token == nil else {
        throw ValidationError("--token needs a list: give ban or mute")
      }
    }

    func run() throws {
      for kind in kind.map({ [$0] }) ?? RestrictionOption.allCases { try show(kind) }
    }

    private func show(_ kind: RestrictionOption) throws {
      let list = PagedList(
        "\(channel.path)/\(kind.rawValue)", member: kind.listName,
        whenEmpty: "no \(kind.past) users", columns: RestrictionText.columns
      ) { RestrictionText.row($0, kind) }
      try page.show(list, gateway, output)
    }
  }
}

extension ModerationCommand {
  /// Shows a user's ban or mute.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the start, end and reason of a user's ban and mute.",
      discussion: """
        Without a kind, the ban is shown before the mute, and --json prints one document for each; the \
        exit status is 1 if there is neither. With ban, it is 1 if the user is not banned. A user \
        without a mute is shown as not muted.

        EXAMPLES:
          parley moderation show lobby jeff
          parley moderation show lobby jeff mute
        """)

    @OptionGroup var target: RestrictionTarget

    @Argument(help: "The restriction: ban or mute. (default: both)")
    var kind: RestrictionOption?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let client = try gateway.client()
      if let kind { return try show(client.call("GET", target.path(kind.rawValue)), kind) }
      let ban = try ban(client)
      let mute = try client.call("GET", target.path(RestrictionOption.mute.rawValue))
      let isMuted = try OutputOptions.root(of: mute).isTrue("is_muted")
      if let ban { try show(ban, .ban) }
      if ban != nil, isMuted, !output.json { print("") }
      if isMuted || output.json { try show(mute, .mute) }
      guard ban != nil || isMuted else {
        throw CommandFailure.refused(
          "\(target.user) is neither banned nor muted in \(target.channel.url)", code: 0)
      }
    }

    /// Returns the user's ban; `nil` without one.
    private func ban(_ client: PlatformClient) throws -> [UInt8]? {
      do {
        return try client.call("GET", target.path(RestrictionOption.ban.rawValue))
      } catch CommandFailure.refused(_, CommandFailure.notFound) {
        // A mute shows whether the channel and the user exist.
        return nil
      }
    }

    private func show(_ answer: [UInt8], _ kind: RestrictionOption) throws {
      try output.show(answer) { RestrictionText.lines($0, kind, of: target) }
    }
  }
}

/// A restriction of a user in a channel.
enum RestrictionOption: String, ExpressibleByArgument, CaseIterable {
  case ban
  case mute

  /// The member of a page that holds the list.
  var listName: String { "\(past)_list" }
  /// The state of a restricted user.
  var past: String { self == .ban ? "banned" : "muted" }
}

/// The channel and user of a restriction.
struct RestrictionTarget: ParsableArguments {
  @OptionGroup var channel: EitherChannelArgument

  @Argument(help: ArgumentHelp("The user id.", valueName: "user id"))
  var user: String

  /// Returns the path of a user's restriction in the Platform API.
  func path(_ kind: String) -> String {
    "\(channel.path)/\(kind)/\(PercentEncoding.encode(pathPart: user))"
  }
}

/// Arguments of commands that restrict a user.
struct RestrictionOptions: ParsableArguments {
  @OptionGroup var target: RestrictionTarget

  @Option(
    help: ArgumentHelp(
      "Duration in seconds, or with a unit: s, m, h or d. -1 for ten years.", valueName: "time"))
  var seconds = RestrictionDuration.longest

  @Option(
    name: [.long, .customLong("description")],
    help: ArgumentHelp("The reason, which participants see.", valueName: "text"))
  var reason: String?

  /// The members of the request body.
  var body: RequestBody {
    var body = RequestBody()
    body.set("user_id", target.user)
    body.set("seconds", seconds.seconds)
    body.set("description", reason)
    return body
  }

  /// The duration as text.
  var duration: String {
    seconds == .longest ? "for ten years" : "for \(seconds.seconds) seconds"
  }
}
