internal import ArgumentParser

/// Let a user read in a channel but not send.
struct MuteUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Let a user read in a channel but not send.")

  @OptionGroup var restriction: RestrictionOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let target = restriction.target
    let answer = try gateway.client().call(
      "POST", "\(target.channel.path)/mute", body: restriction.body)
    try output.show(
      answer, as: "\(target.user) is muted in \(target.channel.url) \(restriction.duration)")
  }
}
