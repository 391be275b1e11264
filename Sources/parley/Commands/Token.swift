internal import ArgumentParser
internal import HTTP1
internal import ParleyProtocol

/// Tokens of the Platform API.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Issue, list and revoke API tokens.",
    discussion: """
      Each program that calls the gateway may have a token of its own, which can be taken back \
      without disturbing the others. Tokens with which users open sessions are under parley user \
      token.

      EXAMPLES:
        parley token create shop
        parley token list
        parley token revoke 4f2a9c01d37be586
      """,
    subcommands: [Create.self, List.self, Revoke.self])

  /// Their place in the Platform API.
  static let path = "/v3/parley/api_tokens"
}

extension TokenCommand {
  /// Issues an API token.
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Issue an API token; it is shown once.")

    @Argument(help: ArgumentHelp("What the token is for, such as shop.", valueName: "name"))
    var name: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("name", name)
      let answer = try gateway.client().call("POST", TokenCommand.path, body: body)
      try output.show(answer) { token in
        var fields = FieldList()
        fields.add("token", token.text("token"))
        fields.add("id", token.text("id"))
        fields.add("name", token.text("name"))
        return fields.lines()
      }
    }
  }
}

extension TokenCommand {
  /// Shows which API tokens there are.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the API tokens that were issued.",
      discussion: "The first one, of auth.api_token or the file api-token, is not among them.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", TokenCommand.path)
      try output.show(answer) { list in
        var table = TextTable([.text("id"), .text("name"), .text("created"), .text("last used")])
        for token in list.list("api_tokens") {
          table.add([
            token.text("id"), token.text("name"), token.time("created_at"),
            token.time("last_used_at"),
          ])
        }
        return table.lines(whenEmpty: "no API tokens were issued")
      }
    }
  }
}

extension TokenCommand {
  /// Takes an API token back.
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Make an API token invalid, at once.")

    @Argument(
      help: ArgumentHelp(
        "The token's id or name, as parley token list shows them.", valueName: "id"))
    var id: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !id.isEmpty else { throw ValidationError("the token's id or name is empty") }
    }

    func run() throws {
      let client = try gateway.client()
      let list = try OutputOptions.root(of: client.call("GET", TokenCommand.path))
      // An id decides over a name; no two tokens have the same of either.
      let tokens = list.list("api_tokens")
      let named =
        tokens.contains { $0.text("id") == id } ? nil : tokens.first { $0.text("name") == id }
      let path = PercentEncoding.encode(pathPart: named?.text("id") ?? id)
      let answer = try client.call("DELETE", "\(TokenCommand.path)/\(path)")
      try output.show(answer, as: "the API token \(id) is revoked")
    }
  }
}
