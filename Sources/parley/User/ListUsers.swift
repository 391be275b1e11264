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
    var query: [(String, String)] = []
    if let nickname { query.append(("nickname", nickname)) }
    if let nicknamePrefix { query.append(("nickname_startswith", nicknamePrefix)) }
    let list = PagedList(
      "/v3/users", query: query, member: "users", whenEmpty: "no users",
      columns: UserText.columns, row: UserText.row(ofUser:))
    try page.show(list, gateway, output)
  }
}
