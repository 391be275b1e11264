internal import ArgumentParser

/// Ends a user's mute before its time.
struct UnmuteUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "End a user's mute before its time.")

  @OptionGroup var target: RestrictionTarget
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("DELETE", target.path("mute"))
    try output.show(answer, as: "\(target.user) is no longer muted in \(target.channel.url)")
  }
}
