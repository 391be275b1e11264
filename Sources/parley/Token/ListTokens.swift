internal import ArgumentParser

/// Shows which API tokens there are.
struct ListTokens: ParsableCommand {
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
