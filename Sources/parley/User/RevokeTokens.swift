internal import ArgumentParser

/// Takes session tokens back.
struct RevokeTokens: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Make all session tokens of a user invalid.")

  @OptionGroup var user: UserArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("DELETE", "\(user.path)/token")
    try output.show(answer, as: "the session tokens of \(user.id) are revoked")
  }
}
