internal import ArgumentParser
internal import ParleyProtocol

/// Commands for open channels.
struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Create, list, show, change and delete open channels.",
    discussion: """
      Groups have their own commands: see 'parley group'.

      EXAMPLES:
        parley channel create lobby --name Lobby --operator ada
        parley channel list --name lob
        parley channel freeze lobby
        parley channel participants lobby --all
        parley channel metadata set lobby topic=launch
        parley channel metacounter increase lobby likes=1
        parley channel delete lobby --yes
      """,
    subcommands: [
      ChannelVerb<ChannelArgument>.Create.self, List.self, Show.self,
      ChannelVerb<ChannelArgument>.Update.self, ChannelVerb<ChannelArgument>.Delete.self,
      ChannelVerb<ChannelArgument>.Freeze.self, ChannelVerb<ChannelArgument>.Unfreeze.self,
      Participants.self, OperatorsCommand<ChannelArgument>.self,
      MetadataCommand<ChannelArgument>.self, MetacounterCommand<ChannelArgument>.self,
    ])
}

extension ChannelCommand {
  /// Lists channels.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List open channels, newest first.")

    @Option(help: ArgumentHelp("Only channels whose name contains this text.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Only channels whose URL contains this text.", valueName: "text"))
    var url: String?

    @Option(help: ArgumentHelp("Only channels of this custom type; repeatable.", valueName: "type"))
    var customType: [String] = []

    @Flag(help: "Leave out frozen channels.")
    var unfrozen = false

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var query: [(String, String)] = []
      if let name { query.append(("name_contains", name)) }
      if let url { query.append(("url_contains", url)) }
      if !customType.isEmpty { query.append(("custom_types", customType.joined(separator: ","))) }
      if unfrozen { query.append(("show_frozen", "false")) }
      let list = PagedList(
        ChannelKind.open.path, query: query, member: "channels", whenEmpty: "no channels",
        columns: ChannelText.columns, row: ChannelText.row(ofChannel:))
      try page.show(list, gateway, output)
    }
  }
}

extension ChannelCommand {
  /// Shows one channel.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show an open channel.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", channel.path)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Lists a channel's participants.
  struct Participants: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "participants", abstract: "List the participants of a channel.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        "\(channel.path)/participants", member: "participants", whenEmpty: "no participants",
        columns: [
          .text("user"), .text("nickname"), .text("state"), .text("last seen"), .text("picture"),
        ], row: Self.row)
      try page.show(list, gateway, output)
    }

    private static func row(_ user: JSONNode) -> [String] {
      let presence = user.isTrue("is_online") ? "online" : "offline"
      return [
        user.text("user_id"), user.text("nickname"),
        user.isTrue("is_muted") ? "\(presence), muted" : presence, user.time("last_seen_at"),
        user.text("profile_url"),
      ]
    }
  }
}

/// Fields that all channels have.
struct ChannelFieldOptions: ChannelFields {
  @Option(help: "The channel's name, at most 191 characters.")
  var name: String?

  @Option(help: ArgumentHelp("The URL of a cover picture.", valueName: "url"))
  var cover: String?

  @Option(
    help: ArgumentHelp("Upload this file as the cover picture.", valueName: "path"),
    completion: .file())
  var coverFile: String?

  @Option(help: ArgumentHelp("A channel type defined by the application.", valueName: "type"))
  var customType: String?

  @Option(help: "Data defined by the application, at most 16,384 bytes by default.")
  var data: String?

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp("The id of an operator; repeatable.", valueName: "user id"))
  var operators: [String] = []

  var picture: PictureFile? { coverFile.map { PictureFile(part: "cover_file", path: $0) } }

  func validate() throws {
    guard cover == nil || coverFile == nil else {
      throw ValidationError("give --cover or --cover-file, not both")
    }
  }

  var body: RequestBody {
    var body = RequestBody()
    body.set("name", name)
    body.set("cover_url", cover)
    body.set("custom_type", customType)
    body.set("data", data)
    body.set("operator_ids", operators)
    return body
  }
}

/// Options of any new channel.
struct ChannelCreationOptions: ChannelCreation {
  @Flag(help: "Do not store messages of this channel.")
  var ephemeral = false

  @Option(
    help: ArgumentHelp(
      "The age at which messages are removed: seconds, or a time such as 12h or 30d.",
      valueName: "time"))
  var messageSurvival: TimeArgument?

  func validate() throws {
    guard let messageSurvival else { return }
    guard let seconds = messageSurvival.wholeSeconds, seconds > 0 else {
      let time = messageSurvival.defaultValueDescription
      throw ValidationError(
        "--message-survival is \(time); whole seconds, at least 1, are expected")
    }
  }

  func add(to body: inout RequestBody) {
    if ephemeral { body.set("is_ephemeral", true) }
    body.set("message_survival_seconds", messageSurvival?.wholeSeconds)
  }
}
