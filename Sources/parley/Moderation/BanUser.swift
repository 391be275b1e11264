internal import ArgumentParser

/// Put a user out of a channel and keep it out.
struct BanUser: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ban", abstract: "Put a user out of a channel and keep it out.")

  @OptionGroup var restriction: RestrictionOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let target = restriction.target
    let answer = try gateway.client().call(
      "POST", "\(target.channel.path)/ban", body: restriction.body)
    try output.show(
      answer, as: "\(target.user) is banned in \(target.channel.url) \(restriction.duration)")
  }
}
