internal import Bytes
internal import HTTP1
internal import ArgumentParser
internal import ParleyProtocol

/// Takes an API token back.
struct RevokeToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Make an API token invalid, at once.")

  @Argument(
    help: ArgumentHelp("The token's id or name, as parley token list shows them.", valueName: "id"))
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
