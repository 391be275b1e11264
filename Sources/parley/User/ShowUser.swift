internal import ArgumentParser

/// Shows one user.
struct ShowUser: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a user.")

  @OptionGroup var user: UserArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", user.path)
    try output.show(answer, as: UserText.lines(ofUser:))
  }
}
