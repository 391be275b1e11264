internal import ArgumentParser

/// Changes a channel.
struct UpdateChannel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change what is given of a channel, and leave the rest.",
    discussion: "--operator replaces all operators; 'channel operators' adds and removes some.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var fields: ChannelFieldOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !fields.body.isEmpty else { throw ValidationError("nothing to change is given") }
  }

  func run() throws {
    let answer = try gateway.client().call("PUT", channel.path, body: fields.body)
    try output.show(answer, as: ChannelText.lines(ofChannel:))
  }
}
