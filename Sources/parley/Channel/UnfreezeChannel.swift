internal import ArgumentParser

/// Let everyone send to a channel again.
struct UnfreezeChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unfreeze", abstract: "Let everyone send to a channel again.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("freeze", false)
    let answer = try gateway.client().call("PUT", "\(channel.path)/freeze", body: body)
    try output.show(answer, as: ChannelText.lines(ofChannel:))
  }
}
