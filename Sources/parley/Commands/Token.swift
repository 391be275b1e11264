internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol
internal import Reactor

/// Commands for tokens of the Platform API.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Create, list and revoke API tokens, and explain users' tokens.",
    discussion: """
      Give each program that calls the gateway a token of its own, so that one can be revoked \
      without affecting the others. 'user token' issues the tokens with which users open sessions.

      EXAMPLES:
        parley token create shop
        parley token create board --role viewer
        parley token create night-shift --role moderator --expires-in 90d
        parley token list
        parley token revoke 4f2a9c01d37be586
        parley token explain --config /etc/parley/parley.yaml < token.txt
      """,
    subcommands: [Create.self, List.self, Revoke.self, Explain.self])

  /// The path of all API tokens in the Platform API.
  static let path = "/v3/parley/api_tokens"
}

extension TokenCommand {
  /// Creates an API token.
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create an API token, which is shown once.")

    @Argument(help: ArgumentHelp("A name for the token, such as shop.", valueName: "name"))
    var name: String

    @Option(
      help:
        "The rights of the token: admin for all calls, moderator for those that read or moderate, viewer for those that read."
    )
    var role = Role.admin

    @Option(
      help: ArgumentHelp(
        "The time until the token expires, in seconds or with a unit: s, m, h or d. At most 3650d; without it, the token does not expire.",
        valueName: "time"))
    var expiresIn: TimeArgument?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("name", name)
      body.set("role", role.rawValue)
      if let expiresIn {
        body.set("expires_at", SystemClock.unixMilliseconds + expiresIn.milliseconds)
      }
      let answer = try gateway.client().call("POST", TokenCommand.path, body: body)
      try output.show(answer) { token in
        var fields = FieldList()
        fields.add("token", token.text("token"))
        fields.add("id", token.text("id"))
        fields.add("name", token.text("name"))
        fields.add("role", token.text("role"))
        fields.add("expires", TokenCommand.expiry(of: token))
        return fields.lines()
      }
    }
  }
}

extension TokenCommand {
  /// The rights of a token.
  enum Role: String, ExpressibleByArgument, CaseIterable {
    case admin
    case moderator
    case viewer
  }

  /// The expiry of a token; empty for one that does not expire.
  static func expiry(of token: JSONNode) -> String {
    guard let time = token["expires_at"]?.integer, time > 0 else { return "" }
    let isOver = time <= SystemClock.unixMilliseconds
    return token.time("expires_at") + (isOver ? " (expired)" : "")
  }
}

extension TokenCommand {
  /// Lists API tokens.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List API tokens.",
      discussion:
        "The gateway's own token, from auth.api_token or the file api-token, is not listed.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", TokenCommand.path)
      try output.show(answer) { list in
        var table = TextTable([
          .text("id"), .text("name"), .text("role"), .text("created"), .text("last used"),
          .text("expires"),
        ])
        for token in list.list("api_tokens") {
          table.add([
            token.text("id"), token.text("name"), token.text("role"), token.time("created_at"),
            token.time("last_used_at"), TokenCommand.expiry(of: token),
          ])
        }
        return table.lines(whenEmpty: "no API tokens")
      }
    }
  }
}

extension TokenCommand {
  /// Revokes an API token.
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke an API token at once.")

    @Argument(
      help: ArgumentHelp(
        "The id or name of the token, from 'token list'.", valueName: "id or name"))
    var id: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !id.isEmpty else { throw ValidationError("the id or name of the token is empty") }
    }

    func run() throws {
      let client = try gateway.client()
      let list = try OutputOptions.root(of: client.call("GET", TokenCommand.path))
      // Ids have precedence over names; both are unique.
      let tokens = list.list("api_tokens")
      let named =
        tokens.contains { $0.text("id") == id } ? nil : tokens.first { $0.text("name") == id }
      let path = PercentEncoding.encode(pathPart: named?.text("id") ?? id)
      let answer = try client.call("DELETE", "\(TokenCommand.path)/\(path)")
      try output.show(answer, as: "the API token \(id) is revoked")
    }
  }
}
