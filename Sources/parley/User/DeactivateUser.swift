internal import ArgumentParser

/// Put a user out and let it open no session.
struct DeactivateUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate", abstract: "Put a user out and let it open no session.")

  @OptionGroup var user: UserArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("is_active", false)
    let answer = try gateway.client().call("PUT", user.path, body: body)
    try output.show(answer, as: UserText.lines(ofUser:))
  }
}
