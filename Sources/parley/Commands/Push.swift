internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands for push notifications.
struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Show, test and explain push notifications.",
    discussion: """
      EXAMPLES:
        parley push
        parley push list jeff
        parley push test jeff
        parley push explain jeff 1042
        parley push remove jeff --type apns --token 3f9a01c2
        parley push remove jeff --all
      """,
    subcommands: [Status.self, List.self, Test.self, Explain.self, Remove.self],
    defaultSubcommand: Status.self)
}

extension PushCommand {
  /// Shows the state of each way of pushing.
  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show the backlog, the tokens and the latest results of each way of pushing.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "/v3/parley/push")
      try output.show(answer, as: PushText.lines(ofStatus:))
    }
  }
}

extension PushCommand {
  /// Lists the tokens of a user.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the push tokens of a user.",
      discussion: """
        Tokens are shown by their last 8 characters. --json prints them whole, one answer for each type.
        """)

    @OptionGroup var user: UserArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answers = try PushTokenList.answers(of: user, from: gateway.client())
      try output.stream(PushText.lines(ofTokenAnswers:), whenEmpty: PushText.noTokens) {
        // As text, an answer without tokens is none.
        try $0(output.json ? answers : answers.filter { !$0.list("devices").isEmpty })
      }
    }
  }
}

extension PushCommand {
  /// Sends a test push.
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Push a test notification to each token of a user and show the responses.",
      discussion: """
        Sessions, preferences and limits do not prevent it. A token that its service no longer knows is \
        removed, as after other pushes.
        """)

    @OptionGroup var user: UserArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("user_id", user.id)
      let answer = try gateway.client().call("POST", "/v3/parley/push/test", body: body)
      try output.show(answer, as: PushText.lines(ofTest:))
      let results = try OutputOptions.root(of: answer).list("results")
      let failed = results.count { $0.text("outcome") != "sent" }
      guard failed == 0 else {
        throw CommandFailure.refused(
          "\(failed) of \(results.count) pushes were not accepted", code: 0)
      }
    }
  }
}

extension PushCommand {
  /// Explains whether a message is pushed to a user.
  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain", abstract: "Show why a message is pushed to a user, or why it is not.",
      discussion: """
        The message is judged by the present state: the sessions, preferences and read position of the \
        user may have been different when it was sent.
        """)

    @OptionGroup var user: UserArgument

    @Argument(help: ArgumentHelp("The message id.", valueName: "message id"))
    var messageID: Int64

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call(
        "GET", "/v3/parley/push/explain",
        query: [("user_id", user.id), ("message_id", String(messageID))])
      try output.show(answer, as: PushText.lines(ofExplanation:))
    }
  }
}

extension PushCommand {
  /// Removes tokens of a user.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove one push token of a user, or all.",
      discussion: """
        The device receives no pushes until its app registers it again. --token may be the end of the \
        token as shown by 'parley push list', at least 8 characters.
        """)

    @OptionGroup var user: UserArgument

    @Option(help: "The type of the token.")
    var type: PushTokenType?

    // A token may begin with a hyphen.
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("The token, the endpoint of a browser, or its end.", valueName: "token"))
    var token: String?

    @Flag(help: "Remove the tokens of all types.")
    var all = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      let isWhole = type != nil && token != nil
      guard all ? type == nil && token == nil : isWhole else {
        throw ValidationError("give --type and --token, or --all")
      }
    }

    func run() throws {
      let client = try gateway.client()
      guard let type, let token else {
        try confirmation.ask("Remove all push tokens of \(DisplayText.shortened(user.id))?")
        let answer = try client.call("DELETE", "\(user.path)/push")
        return try output.show(answer) {
          let count = $0.list("token").count
          return [count == 1 ? "1 token removed" : "\(count) tokens removed"]
        }
      }
      let list = try PushTokenList.answer(of: user, type, from: client)
      let whole = try PushTokenList.whole(token, among: list.list("token").compactMap(\.string))
      let part = PercentEncoding.encode(pathPart: whole)
      let answer = try client.call("DELETE", "\(user.path)/push/\(type.rawValue)/\(part)")
      try output.show(answer, as: "1 token removed")
    }
  }
}

extension PushTokenType: ExpressibleByArgument {}

/// Reads the tokens of a user.
enum PushTokenList {
  /// The shortest end of a token that stands for it.
  private static let shortestEnd = 8

  /// The answers for all types.
  static func answers(of user: UserArgument, from client: PlatformClient) throws -> [JSONNode] {
    try PushTokenType.allCases.map { try answer(of: user, $0, from: client) }
  }

  static func answer(
    of user: UserArgument, _ type: PushTokenType, from client: PlatformClient
  ) throws -> JSONNode {
    try OutputOptions.root(of: client.callPatiently("GET", "\(user.path)/push/\(type.rawValue)"))
  }

  /// Returns the token that a text names: it, or the only one that ends with it.
  static func whole(_ text: String, among tokens: [String]) throws -> String {
    if tokens.contains(text) { return text }
    guard text.utf8.count >= shortestEnd else {
      throw CommandFailure.refused(
        "the user has no such token; give it whole, or its last \(shortestEnd) characters or more",
        code: 0)
    }
    let found = tokens.filter { $0.hasSuffix(text) }
    guard let token = found.first else {
      throw CommandFailure.refused("the user has no token of this type that ends so", code: 0)
    }
    guard found.count == 1 else {
      throw CommandFailure.refused(
        "\(found.count) tokens end so; give the whole token, which 'parley push list --json' prints",
        code: 0)
    }
    return token
  }
}
