internal import ArgumentParser

/// Removes a message.
struct DeleteMessage: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a message.")

  @OptionGroup var message: MessageArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("DELETE", message.path)
    try output.show(answer, as: "message \(message.id) is deleted")
  }
}
