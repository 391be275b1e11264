internal import ArgumentParser

/// Removes a channel's counter, or all.
struct RemoveMetacounters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a channel's counter, or all.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var choice: KeyChoice
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call(
      "DELETE", "\(channel.path)/metacounter\(choice.pathPart)")
    try output.show(answer, as: "\(choice.key ?? "all counters") removed")
  }
}
