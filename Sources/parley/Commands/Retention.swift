internal import ArgumentParser
internal import Basics
internal import HTTP
internal import ParleyProtocol

/// Commands for the time for which messages of single channels are kept.
struct RetentionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention",
    abstract: "Show and set how long messages of a channel are kept, and hold them.",
    discussion: """
      The settings store.retention_days, store.retention and store.keep_messages apply to all channels and \
      groups; the shorter time counts. A legal hold keeps a channel as it is: nothing is removed for its \
      age, and messages cannot be deleted or edited.

      EXAMPLES:
        parley retention show lobby
        parley retention set lobby 30d
        parley retention unset lobby
        parley retention hold lobby
        parley retention release lobby
        parley retention holds
      """,
    subcommands: [
      Show.self, Set.self, Unset.self, Hold.self, Release.self, Holds.self,
    ])
}

extension RetentionCommand {
  /// Shows the retention of a channel.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show how long messages of a channel are kept.")

    @OptionGroup var channel: RetainedChannel
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "\(channel.path)/retention")
      try output.show(answer, as: RetentionText.lines(of:))
    }
  }

  /// Sets the time for which messages of a channel are kept.
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set the time for which messages of a channel are kept.",
      discussion: "Older messages are removed within about a minute, with their files.")

    @OptionGroup var channel: RetainedChannel

    @Argument(help: ArgumentHelp("Seconds, or a time such as 12h or 30d.", valueName: "time"))
    var time: TimeArgument

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard let seconds = time.wholeSeconds, seconds > 0 else {
        throw ValidationError(
          "the time is \(time.defaultValueDescription); whole seconds, at least 1, are expected")
      }
    }

    func run() throws {
      let (url, text) = (DisplayText.shortened(channel.url), time.defaultValueDescription)
      try confirmation.ask("Remove messages of \(url) that are older than \(text)?")
      try channel.setSurvival(time.wholeSeconds ?? -1, gateway, output)
    }
  }

  /// Leaves the time to the deployment's rule.
  struct Unset: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unset", abstract: "Leave the time to the rules of the deployment.")

    @OptionGroup var channel: RetainedChannel
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try channel.setSurvival(-1, gateway, output) }
  }

  /// Begins a legal hold.
  struct Hold: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "hold", abstract: "Keep a channel and its messages as they are: a legal hold.")

    @OptionGroup var channel: RetainedChannel
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws { try channel.setHold(true, gateway, output) }
  }

  /// Ends a legal hold.
  struct Release: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "release", abstract: "End the legal hold of a channel.",
      discussion: "Messages past their time are removed with the next pass, within an hour.")

    @OptionGroup var channel: RetainedChannel
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("End the legal hold of \(DisplayText.shortened(channel.url))?")
      try channel.setHold(false, gateway, output)
    }
  }

  /// Lists the channels with a legal hold.
  struct Holds: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "holds", abstract: "List the channels and groups with a legal hold.")

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        "/v3/parley/holds", member: "channels", whenEmpty: "no legal holds",
        columns: [.text("channel"), .text("kind")],
        row: {
          [
            $0.text("channel_url"),
            $0.text("channel_type") == ChannelKind.group.rawValue ? "group" : "open channel",
          ]
        })
      try page.show(list, gateway, output)
    }
  }
}

/// The open channel or group whose retention a command is about.
struct RetainedChannel: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The URL of an open channel or a group.", valueName: "channel"))
  var url: String

  /// The path of the channel's own calls.
  var path: String { "/v3/parley/channels/\(PercentEncoding.encode(pathPart: url))" }

  func validate() throws {
    guard !url.isEmpty else {
      throw ValidationError("the channel URL is empty; a URL such as lobby is expected")
    }
  }

  /// Sets the age at which messages are removed, as in the Platform API.
  func setSurvival(_ seconds: Int64, _ gateway: GatewayOptions, _ output: OutputOptions) throws {
    var body = RequestBody()
    body.set("message_survival_seconds", seconds)
    let answer = try gateway.client().call("PUT", "\(path)/retention", body: body)
    try output.show(answer, as: RetentionText.lines(of:))
  }

  /// Begins or ends a legal hold.
  func setHold(_ isOn: Bool, _ gateway: GatewayOptions, _ output: OutputOptions) throws {
    var body = RequestBody()
    body.set("on", isOn)
    let answer = try gateway.client().call("PUT", "\(path)/hold", body: body)
    try output.show(answer, as: RetentionText.lines(of:))
  }
}

enum RetentionText {
  fileprivate static func lines(of retention: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("channel", retention.text("channel_url"))
    fields.add("legal hold", retention.isTrue("hold") ? "on" : "off")
    fields.add("own time", time(retention["message_survival_seconds"]) ?? "none")
    fields.add("messages are kept", time(retention["retention_seconds"]) ?? "for ever")
    if let count = retention["keep_messages"]?.integer, count > 0 {
      fields.add("and at most", "\(count) messages")
    }
    return fields.lines()
  }

  /// A time in the largest unit that divides it; `nil` without one.
  static func time(_ seconds: JSONNode?) -> String? {
    guard let seconds = seconds?.integer, seconds > 0 else { return nil }
    let units: [(Int64, String)] = [(86_400, "days"), (3_600, "hours"), (60, "minutes")]
    for (length, name) in units where seconds >= 2 * length && seconds % length == 0 {
      return "\(seconds / length) \(name)"
    }
    return "\(seconds) seconds"
  }
}
