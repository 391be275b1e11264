internal import ArgumentParser

/// Sends as the administrator.
struct SendAdminMessage: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin",
    abstract: "Send an admin message, which everyone in the channel is shown.",
    discussion: "A text of - is read from standard input.")

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "What is said, 1 to 1,000 characters.")
  var text: String

  @Option(help: ArgumentHelp("The application's own kind of message.", valueName: "type"))
  var customType: String?

  @Option(help: "The application's own data, at most 16,384 bytes.")
  var data: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("message_type", "ADMM")
    body.set("message", try StandardInput.text(text))
    body.set("custom_type", customType)
    body.set("data", data)
    let answer = try gateway.client().call("POST", "\(channel.path)/messages", body: body)
    try output.show(answer) { [MessageText.line(ofMessage: $0)] }
  }
}
