internal import ArgumentParser

/// Issues an API token.
struct CreateToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Issue an API token; it is shown once.")

  @Argument(help: ArgumentHelp("What the token is for, such as shop.", valueName: "name"))
  var name: String

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("name", name)
    let answer = try gateway.client().call("POST", TokenCommand.path, body: body)
    try output.show(answer) { token in
      var fields = FieldList()
      fields.add("token", token.text("token"))
      fields.add("id", token.text("id"))
      fields.add("name", token.text("name"))
      return fields.lines()
    }
  }
}
