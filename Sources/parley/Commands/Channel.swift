internal import ArgumentParser
internal import HTTP1
internal import ParleyProtocol

/// Channels.
struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Create, change and look at channels.",
    discussion: """
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
      Create.self, List.self, Show.self, Update.self,
      Delete.self, Freeze.self, Unfreeze.self, Participants.self,
      OperatorsCommand.self, MetadataCommand<ChannelArgument>.self,
      MetacounterCommand.self,
    ])
}

extension ChannelCommand {
  /// Makes a channel.
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create a channel.",
      discussion: "Without a URL the gateway makes one up.")

    @Argument(help: "The channel's URL: 4 to 100 letters, digits, hyphens and underscores.")
    var url: String?

    @OptionGroup var fields: ChannelFieldOptions

    @Flag(help: "Keep no messages.")
    var ephemeral = false

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = fields.body
      body.set("channel_url", url)
      if ephemeral { body.set("is_ephemeral", true) }
      let answer = try gateway.client().call("POST", "/v3/open_channels", body: body)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Shows channels.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List channels, newest first.")

    @Option(help: ArgumentHelp("Only those with this in their name.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Only those with this in their URL.", valueName: "text"))
    var url: String?

    @Option(help: ArgumentHelp("Only this kind; may be given several times.", valueName: "type"))
    var customType: [String] = []

    @Flag(help: "Leave frozen ones out.")
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
        "/v3/open_channels", query: query, member: "channels", whenEmpty: "no channels",
        columns: ChannelText.columns, row: ChannelText.row(ofChannel:))
      try page.show(list, gateway, output)
    }
  }
}

extension ChannelCommand {
  /// Shows one channel.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a channel.")

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
  /// Changes a channel.
  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update", abstract: "Change what is given of a channel, and leave the rest.",
      discussion: "--operator replaces all operators; 'channel operators' adds and removes some.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var fields: ChannelFieldOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !fields.body.isEmpty else { throw ValidationError("nothing to change is given") }
    }

    func run() throws {
      let answer = try gateway.client().call("PUT", channel.path, body: fields.body)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Removes a channel.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a channel with all its messages.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Delete \(PlainLine.clean(channel.url)) and all its messages?")
      let answer = try gateway.client().call("DELETE", channel.path)
      try output.show(answer, as: "\(channel.url) is deleted")
    }
  }
}

extension ChannelCommand {
  /// Let only operators send to a channel.
  struct Freeze: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "freeze", abstract: "Let only operators send to a channel.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("freeze", true)
      let answer = try gateway.client().call("PUT", "\(channel.path)/freeze", body: body)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Let everyone send to a channel again.
  struct Unfreeze: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unfreeze", abstract: "Let everyone send to a channel again.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("freeze", false)
      let answer = try gateway.client().call("PUT", "\(channel.path)/freeze", body: body)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Shows who is in a channel.
  struct Participants: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "participants", abstract: "List who is in a channel.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        "\(channel.path)/participants", member: "participants", whenEmpty: "nobody is there",
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

/// Which channel is meant.
struct ChannelArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The channel's URL, such as lobby.", valueName: "channel"))
  var url: String

  func validate() throws {
    guard !url.isEmpty else { throw ValidationError("the channel's URL is empty") }
  }

  /// Its place in the Platform API.
  var path: String { "/v3/open_channels/\(PercentEncoding.encode(pathPart: url))" }
}

/// What a channel is given.
struct ChannelFieldOptions: ParsableArguments {
  @Option(help: "Its name.")
  var name: String?

  @Option(help: ArgumentHelp("The address of a picture.", valueName: "url"))
  var cover: String?

  @Option(help: ArgumentHelp("The application's own kind of channel.", valueName: "type"))
  var customType: String?

  @Option(help: "The application's own data, at most 16,384 bytes.")
  var data: String?

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp("An operator; may be given several times.", valueName: "user id"))
  var operators: [String] = []

  /// The members of the call.
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

/// Channels, for people.
enum ChannelText {
  /// One channel with all that is known of it.
  static func lines(ofChannel channel: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("channel", channel.text("channel_url"))
    fields.add("name", channel.text("name"))
    fields.add("custom type", channel.text("custom_type"))
    fields.add("state", state(of: channel))
    fields.add("participants", channel.number("participant_count"))
    fields.add("operators", channel.names("operators"))
    fields.add("cover", channel.text("cover_url"))
    fields.add("data", channel.text("data"))
    fields.add("created", channel.timeInSeconds("created_at"))
    return fields.lines()
  }

  /// The columns of a table of channels.
  static let columns: [TextTable.Column] = [
    .text("channel"), .text("name"), .number("participants"), .text("state"), .text("type"),
    .text("created"),
  ]

  /// A channel in such a table.
  static func row(ofChannel channel: JSONNode) -> [String] {
    [
      channel.text("channel_url"), channel.text("name"), channel.number("participant_count"),
      state(of: channel), channel.text("custom_type"), channel.timeInSeconds("created_at"),
    ]
  }

  private static func state(of channel: JSONNode) -> String {
    let words = [("freeze", "frozen"), ("is_ephemeral", "ephemeral")]
    let states = words.filter { channel.isTrue($0.0) }.map(\.1)
    return states.isEmpty ? "open" : states.joined(separator: ", ")
  }
}
