internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol

/// Commands for flood protection and throttling.
struct LimitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show, set and explain flood protection and throttling.",
    discussion: """
      A limit is a number of messages in a window of time; 0 turns it off. A channel's own limit \
      has precedence over that of its custom type, and that over the deployment's.

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
  /// Shows the limits in force.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the limits in force.")

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
      commandName: "set", abstract: "Set limits at once and permanently.")

    @OptionGroup var scope: LimitScopeOptions

    @Option(
      help: ArgumentHelp(
        "Messages that a user may send: count/milliseconds such as 5/1000, count/time such as 5/1s, or off.",
        valueName: "limit"))
    var flood: RateArgument?

    @Option(
      help: ArgumentHelp(
        "Messages of others that a participant receives: count/time such as 5/1s, or off.",
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
  /// Removes limits that were set.
  struct Unset: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unset", abstract: "Remove limits, so that the next wider ones apply.")

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
  /// Explains the limits in force for a user.
  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Show a user's limits in a channel and why a message would be refused.",
      discussion: "This check is not counted against any limit.")

    @Option(help: ArgumentHelp("The user id.", valueName: "user id"))
    var user: String

    @Option(help: ArgumentHelp("The channel URL.", valueName: "channel"))
    var channel: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !user.isEmpty, !channel.isEmpty else {
        throw ValidationError("--user and --channel cannot be empty")
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

/// The scope of limits: the deployment, a custom type or a channel.
struct LimitScopeOptions: ParsableArguments {
  private static let root = "/v3/parley/limits"

  @Option(help: ArgumentHelp("Limits of this channel.", valueName: "channel"))
  var channel: String?

  @Option(help: ArgumentHelp("Limits of channels of this custom type.", valueName: "type"))
  var customType: String?

  func validate() throws {
    guard channel == nil || customType == nil else {
      throw ValidationError("give --channel or --custom-type, not both")
    }
    guard channel?.isEmpty != true, customType?.isEmpty != true else {
      throw ValidationError("--channel and --custom-type cannot be empty")
    }
  }

  /// The path in the Platform API.
  var path: String {
    if let channel { return Self.path(ofChannel: channel) }
    return customType.map(Self.path(ofCustomType:)) ?? Self.root
  }

  /// The path of the deployment's limits.
  static var pathOfDeployment: String { root }

  /// Returns the path of a channel's limits.
  static func path(ofChannel url: String) -> String {
    "\(root)/channels/\(PercentEncoding.encode(pathPart: url))"
  }

  /// Returns the path of the limits of a custom type.
  static func path(ofCustomType type: String) -> String {
    "\(root)/custom_types/\(PercentEncoding.encode(pathPart: type))"
  }
}

/// Formats limits as text.
enum LimitsText {
  static func lines(_ limits: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("flood", text(limits["flood"]) + ": messages that a user may send to a channel")
    fields.add(
      "throttle", text(limits["throttle"]) + ": messages of others that a participant receives")
    return fields.lines()
  }

  /// Returns a limit as text.
  static func text(_ limit: JSONNode?) -> String {
    guard let messages = limit?["messages"]?.integer, let window = limit?["window_ms"]?.integer
    else { return "?" }
    guard messages > 0, window > 0 else { return "off" }
    return "\(messages) in \(window) ms"
  }
}

/// Formats the limits in force for a user as text.
enum LimitExplanationText {
  static func lines(_ explanation: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("user", explanation.text("user_id") + role(explanation))
    fields.add("channel", explanation.text("channel_url"))
    fields.add("flood", flood(explanation["flood"]))
    if let all = explanation["user_flood"] { fields.add("all channels", flood(all)) }
    if let changes = explanation["changes"] { fields.add("changes", flood(changes)) }
    fields.add("throttle", throttle(explanation["throttle"]))
    fields.add(quotasOf: explanation)
    if let uploads = explanation["uploads"] { fields.add("uploads", text(ofUploads: uploads)) }
    return fields.lines() + verdict(explanation.list("refusals"))
  }

  private static func text(ofUploads uploads: JSONNode) -> String {
    if let refusal = uploads.list("refusals").first {
      return "refused: \(refusal.text("message"))"
    }
    let limit = uploads["max_unfinished"]?.integer ?? 0
    let unfinished = "\(uploads["unfinished"]?.integer ?? 0) unfinished"
    return limit > 0 ? "\(unfinished) of \(limit)" : unfinished
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
    return limit(
      window, count: withheld > 0 ? "\(count), \(withheld) withheld since the last notice" : count)
  }

  private static func limit(_ window: JSONNode, count: String) -> String {
    let source = window.text("source").replacing("_", with: " ")
    let exemption = window.text("exemption")
    let exempt = exemption.isEmpty ? "" : "; not applied: \(exemption)"
    return "\(LimitsText.text(window)), by \(source); \(count)\(exempt)"
  }

  /// Returns one line for each reason; the first is the error that the sender would receive.
  private static func verdict(_ refusals: [JSONNode]) -> [String] {
    guard !refusals.isEmpty else { return ["a message would be accepted"] }
    return refusals.map { DisplayText.shortened("would be refused: \(reason($0))", limit: 2_500) }
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
