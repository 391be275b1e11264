internal import ArgumentParser

/// Let only operators send to a channel.
struct FreezeChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freeze", abstract: "Let only operators send to a channel.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("freeze", true)
    let answer = try gateway.client().call("PUT", "\(channel.path)/freeze", body: body)
    try output.show(answer, as: ChannelText.lines(ofChannel:))
  }
}
