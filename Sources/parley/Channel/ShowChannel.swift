internal import ArgumentParser

/// Shows one channel.
struct ShowChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a channel.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", channel.path)
    try output.show(answer, as: ChannelText.lines(ofChannel:))
  }
}
