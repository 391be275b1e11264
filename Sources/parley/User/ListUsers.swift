internal import ArgumentParser

/// Shows users.
struct ListUsers: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List users.")

  @Option(help: ArgumentHelp("Only those of this nickname.", valueName: "text"))
  var nickname: String?

  @Option(help: ArgumentHelp("Only those whose nickname begins so.", valueName: "text"))
  var nicknamePrefix: String?

  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var query = page.query
    if let nickname { query.append(("nickname", nickname)) }
    if let nicknamePrefix { query.append(("nickname_startswith", nicknamePrefix)) }
    let answer = try gateway.client().call("GET", "/v3/users", query: query)
    try output.show(answer, as: UserText.lines(ofPage:))
  }
}
