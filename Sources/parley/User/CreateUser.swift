internal import ArgumentParser

/// Makes a user.
struct CreateUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a user.")

  @OptionGroup var user: UserArgument
  @OptionGroup var fields: UserFieldOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = fields.body
    body.set("user_id", user.id)
    if fields.nickname == nil { body.set("nickname", "") }
    if fields.profileURL == nil { body.set("profile_url", "") }
    let answer = try gateway.client().call("POST", "/v3/users", body: body)
    try output.show(answer, as: UserText.lines(ofUser:))
  }
}
