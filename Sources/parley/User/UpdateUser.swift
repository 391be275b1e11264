internal import ArgumentParser

/// Changes a user.
struct UpdateUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change what is given of a user, and leave the rest.")

  @OptionGroup var user: UserArgument
  @OptionGroup var fields: UserFieldOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !fields.body.isEmpty else { throw ValidationError("nothing to change is given") }
  }

  func run() throws {
    let answer = try gateway.client().call("PUT", user.path, body: fields.body)
    try output.show(answer, as: UserText.lines(ofUser:))
  }
}
