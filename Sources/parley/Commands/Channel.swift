internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol

/// Commands for channels.
struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Create, list, show, change and delete channels.",
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
  /// Creates a channel.
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create a channel.",
      discussion: "The gateway chooses a URL if none is given.")

    @Argument(help: "The channel's URL: 4 to 100 letters, digits, hyphens and underscores.")
    var url: String?

    @OptionGroup var fields: ChannelFieldOptions

    @Flag(help: "Do not store messages of this channel.")
    var ephemeral = false

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = fields.body
      body.set("channel_url", url)
      if ephemeral { body.set("is_ephemeral", true) }
      let answer = try gateway.client().call(
        "POST", "/v3/open_channels", body, fields.picture)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Lists channels.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List channels, newest first.")

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
      commandName: "update", abstract: "Change fields of a channel.",
      discussion: """
        Fields that are not given keep their values. --operator replaces all operators; \
        'channel operators' adds and removes single ones.
        """)

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var fields: ChannelFieldOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !fields.body.isEmpty || fields.picture != nil else {
        throw ValidationError("no field to change is given; see --help for the options")
      }
    }

    func run() throws {
      let answer = try gateway.client().call("PUT", channel.path, fields.body, fields.picture)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

extension ChannelCommand {
  /// Deletes a channel.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a channel and all its messages.")

    @OptionGroup var channel: ChannelArgument
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Delete \(DisplayText.shortened(channel.url)) and all its messages?")
      let answer = try gateway.client().call("DELETE", channel.path)
      try output.show(answer, as: "\(channel.url) is deleted")
    }
  }
}

extension ChannelCommand {
  /// Freezes a channel: only operators may send.
  struct Freeze: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "freeze", abstract: "Freeze a channel: only operators may send messages.")

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
  /// Unfreezes a channel.
  struct Unfreeze: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unfreeze",
      abstract: "Unfreeze a channel: all participants may send messages again.")

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

/// The channel that a command applies to.
struct ChannelArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The channel URL, such as lobby.", valueName: "channel"))
  var url: String

  func validate() throws {
    guard !url.isEmpty else {
      throw ValidationError("the channel URL is empty; a URL such as lobby is expected")
    }
  }

  /// The path in the Platform API.
  var path: String { "/v3/open_channels/\(PercentEncoding.encode(pathPart: url))" }
}

/// Fields of a channel.
struct ChannelFieldOptions: ParsableArguments {
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

  /// The file of a picture, with the name of its part in a form.
  var picture: PictureFile? { coverFile.map { PictureFile(part: "cover_file", path: $0) } }

  func validate() throws {
    guard cover == nil || coverFile == nil else {
      throw ValidationError("give --cover or --cover-file, not both")
    }
  }

  /// The members of the request body.
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
