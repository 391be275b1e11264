internal import ArgumentParser

/// Shows a channel's counters.
struct ShowMetacounters: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a channel's counters.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "\(channel.path)/metacounter")
    try output.show(answer, as: MetacounterText.lines)
  }
}
