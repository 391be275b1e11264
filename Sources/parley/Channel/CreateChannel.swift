internal import ArgumentParser

/// Makes a channel.
struct CreateChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a channel.",
    discussion: "Without a URL the gateway makes one up.")

  @Argument(help: "The channel's URL: 4 to 100 letters, digits, hyphens and underscores.")
  var url: String?

  @OptionGroup var fields: ChannelFieldOptions

  @Flag(help: "Keep no messages.")
  var ephemeral = false

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = fields.body
    body.set("channel_url", url)
    if ephemeral { body.set("is_ephemeral", true) }
    let answer = try gateway.client().call("POST", "/v3/open_channels", body: body)
    try output.show(answer, as: ChannelText.lines(ofChannel:))
  }
}
