internal import ArgumentParser

/// Changes a message.
struct UpdateMessage: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change what is given of a message, whoever wrote it.")

  @OptionGroup var message: MessageArgument

  @Option(help: "Its new text.")
  var text: String?

  @Option(help: ArgumentHelp("The application's own kind of message.", valueName: "type"))
  var customType: String?

  @Option(help: "The application's own data, at most 16,384 bytes.")
  var data: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  private var body: RequestBody {
    var body = RequestBody()
    body.set("message", text)
    body.set("custom_type", customType)
    body.set("data", data)
    return body
  }

  func validate() throws {
    guard !body.isEmpty else { throw ValidationError("nothing to change is given") }
  }

  func run() throws {
    let answer = try gateway.client().call("PUT", message.path, body: body)
    try output.show(answer, as: MessageText.lines(ofMessage:))
  }
}
