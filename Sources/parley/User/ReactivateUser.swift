internal import ArgumentParser

/// Let a deactivated user open sessions again.
struct ReactivateUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reactivate", abstract: "Let a deactivated user open sessions again.")

  @OptionGroup var user: UserArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("is_active", true)
    let answer = try gateway.client().call("PUT", user.path, body: body)
    try output.show(answer, as: UserText.lines(ofUser:))
  }
}
