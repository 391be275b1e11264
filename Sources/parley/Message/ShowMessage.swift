internal import ArgumentParser

/// Shows one message.
struct ShowMessage: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a message.")

  @OptionGroup var message: MessageArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", message.path)
    try output.show(answer, as: MessageText.lines(ofMessage:))
  }
}
