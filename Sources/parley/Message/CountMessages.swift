internal import ArgumentParser

/// Counts messages.
struct CountMessages: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Print how many messages a channel has.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "\(channel.path)/messages/total_count")
    try output.show(answer) { [$0.number("total")] }
  }
}
