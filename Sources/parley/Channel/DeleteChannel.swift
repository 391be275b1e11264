internal import ArgumentParser
internal import Bytes

/// Removes a channel.
struct DeleteChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a channel with all its messages.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var confirmation: Confirmation
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try confirmation.ask("Delete \(DisplayText.shortened(channel.url)) and all its messages?")
    let answer = try gateway.client().call("DELETE", channel.path)
    try output.show(answer, as: "\(channel.url) is deleted")
  }
}
