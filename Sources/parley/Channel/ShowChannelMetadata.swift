internal import ArgumentParser

/// Shows a channel's metadata.
struct ShowChannelMetadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a channel's metadata.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "\(channel.path)/metadata")
    try output.show(answer, as: MetadataText.lines)
  }
}
