internal import ArgumentParser

/// Makes users operators.
struct AddOperators: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make users operators of a channel.")

  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The users.", valueName: "user id"))
  var users: [String]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("operator_ids", users)
    let answer = try gateway.client().call("POST", "\(channel.path)/operators", body: body)
    try output.show(answer, as: "now operators: \(users.joined(separator: ", "))")
  }
}
