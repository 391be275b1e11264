internal import HTTP1
internal import ArgumentParser

/// Takes an API token back.
struct RevokeToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Make an API token invalid, at once.")

  @Argument(help: ArgumentHelp("The token's id, as parley token list shows it.", valueName: "id"))
  var id: String

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !id.isEmpty else { throw ValidationError("the token's id is empty") }
  }

  func run() throws {
    let path = "\(TokenCommand.path)/\(PercentEncoding.encode(pathPart: id))"
    let answer = try gateway.client().call("DELETE", path)
    try output.show(answer, as: "the API token \(id) is revoked")
  }
}
