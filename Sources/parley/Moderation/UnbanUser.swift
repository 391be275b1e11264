internal import ArgumentParser

/// Ends a user's ban before its time.
struct UnbanUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unban", abstract: "End a user's ban before its time.")

  @OptionGroup var target: RestrictionTarget
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("DELETE", target.path("ban"))
    try output.show(answer, as: "\(target.user) is no longer banned in \(target.channel.url)")
  }
}
