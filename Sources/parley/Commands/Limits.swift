internal import ArgumentParser
internal import HTTP1
internal import ParleyProtocol

/// What users may send and are shown.
struct LimitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show, set and explain flood protection and throttling.",
    discussion: """
      Each limit is a number of messages in a window; 0 turns it off. A channel's own limit decides \
      over that of its custom type, which decides over the deployment's.

      EXAMPLES:
        parley limits show
        parley limits set --channel lobby --flood 10/1000
        parley limits set --custom-type live --throttle 3/1000
        parley limits unset --channel lobby
        parley limits explain --user ada --channel lobby
      """,
    subcommands: [Show.self, Set.self, Unset.self, Explain.self])
}

extension LimitsCommand {
  /// Shows limits.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the limits that hold.")

    @OptionGroup var scope: LimitScopeOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", scope.path)
      try output.show(answer, as: LimitsText.lines)
    }
  }
}

extension LimitsCommand {
  /// Sets limits.
  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set limits; they hold at once, and over restarts.")

    @OptionGroup var scope: LimitScopeOptions

    @Option(
      help: ArgumentHelp(
        "What a user gets through: messages/milliseconds, such as 5/1000 or 5/1s, or off.",
        valueName: "limit"))
    var flood: RateArgument?

    @Option(
      help: ArgumentHelp(
        "What a participant is shown of others: messages/milliseconds, such as 5/1s, or off.",
        valueName: "limit"))
    var throttle: RateArgument?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard flood != nil || throttle != nil else {
        throw ValidationError("give --flood, --throttle or both")
      }
    }

    func run() throws {
      var body = RequestBody()
      body.set("flood", flood)
      body.set("throttle", throttle)
      let answer = try gateway.client().call("PUT", scope.path, body: body)
      try output.show(answer, as: LimitsText.lines)
    }
  }
}

extension LimitsCommand {
  /// Takes limits back.
  struct Unset: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unset", abstract: "Forget limits that were set, so that the wider ones hold.")

    @OptionGroup var scope: LimitScopeOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", scope.path)
      try output.show(answer, as: LimitsText.lines)
    }
  }
}

extension LimitsCommand {
  /// Shows what keeps a user from sending, and from seeing.
  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Show a user's windows in a channel, and why its next message would be refused.",
      discussion: "Asking counts as nothing: it uses up no window.")

    @Option(help: ArgumentHelp("The user.", valueName: "user id"))
    var user: String

    @Option(help: ArgumentHelp("The channel.", valueName: "channel"))
    var channel: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !user.isEmpty, !channel.isEmpty else {
        throw ValidationError("--user and --channel can't be empty")
      }
    }

    func run() throws {
      let answer = try gateway.client().call(
        "GET", "\(LimitScopeOptions.pathOfDeployment)/explain",
        query: [("user_id", user), ("channel_url", channel)])
      try output.show(answer, as: LimitExplanationText.lines)
    }
  }
}

/// Whose limits are meant: the deployment's, unless something else is given.
struct LimitScopeOptions: ParsableArguments {
  private static let root = "/v3/parley/limits"

  @Option(help: ArgumentHelp("Those of this channel.", valueName: "channel"))
  var channel: String?

  @Option(help: ArgumentHelp("Those of channels of this kind.", valueName: "type"))
  var customType: String?

  func validate() throws {
    guard channel == nil || customType == nil else {
      throw ValidationError("give one of --channel and --custom-type")
    }
    guard channel?.isEmpty != true, customType?.isEmpty != true else {
      throw ValidationError("--channel and --custom-type can't be empty")
    }
  }

  /// Its place in the Platform API.
  var path: String {
    if let channel { return Self.path(ofChannel: channel) }
    return customType.map(Self.path(ofCustomType:)) ?? Self.root
  }

  /// The place of the deployment's limits.
  static var pathOfDeployment: String { root }

  /// The place of a channel's limits.
  static func path(ofChannel url: String) -> String {
    "\(root)/channels/\(PercentEncoding.encode(pathPart: url))"
  }

  /// The place of the limits of a kind of channel.
  static func path(ofCustomType type: String) -> String {
    "\(root)/custom_types/\(PercentEncoding.encode(pathPart: type))"
  }
}

/// Limits, for people.
enum LimitsText {
  static func lines(_ limits: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("flood", text(limits["flood"]) + ": what a user gets through to a channel")
    fields.add("throttle", text(limits["throttle"]) + ": what a participant is shown of others")
    return fields.lines()
  }

  /// One limit in words.
  static func text(_ limit: JSONNode?) -> String {
    guard let messages = limit?["messages"]?.integer, let window = limit?["window_ms"]?.integer
    else { return "?" }
    guard messages > 0, window > 0 else { return "off" }
    return "\(messages) in \(window) ms"
  }
}

/// What holds for a user in a channel, for people.
enum LimitExplanationText {
  static func lines(_ explanation: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("user", explanation.text("user_id") + role(explanation))
    fields.add("channel", explanation.text("channel_url"))
    fields.add("flood", flood(explanation["flood"]))
    if let changes = explanation["changes"] { fields.add("changes", flood(changes)) }
    fields.add("throttle", throttle(explanation["throttle"]))
    return fields.lines() + verdict(explanation.list("refusals"))
  }

  private static func role(_ explanation: JSONNode) -> String {
    explanation.isTrue("is_operator") ? ", an operator" : ""
  }

  private static func flood(_ window: JSONNode?) -> String {
    guard let window else { return "" }
    return limit(window, count: "\(window.number("used")) used")
  }

  private static func throttle(_ window: JSONNode?) -> String {
    guard let window else { return "" }
    let withheld = window["withheld"]?.integer ?? 0
    let count = "\(window.number("shown")) shown"
    return limit(window, count: withheld > 0 ? "\(count), \(withheld) withheld since told" : count)
  }

  private static func limit(_ window: JSONNode, count: String) -> String {
    let source = window.text("source").replacing("_", with: " ")
    let exemption = window.text("exemption")
    let exempt = exemption.isEmpty ? "" : "; does not hold: \(exemption)"
    return "\(LimitsText.text(window)), by \(source); \(count)\(exempt)"
  }

  /// One line for each reason, the first being what the sender would be told.
  private static func verdict(_ refusals: [JSONNode]) -> [String] {
    guard !refusals.isEmpty else { return ["a message would pass"] }
    return refusals.map { PlainLine.clean("would be refused: \(reason($0))", limit: 2_500) }
  }

  private static func reason(_ refusal: JSONNode) -> String {
    var text = "\(refusal.text("message")) (\(refusal.number("code")))"
    let end = refusal.time("end_at")
    if !end.isEmpty { text += ", until \(end)" }
    let description = refusal.text("description")
    if !description.isEmpty { text += ": \(description)" }
    return text
  }
}
