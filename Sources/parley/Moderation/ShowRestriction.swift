internal import ArgumentParser

/// Shows a user's ban or mute.
struct ShowRestriction: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show since when, how long and why a user is banned or muted.",
    discussion: """
      Without a ban the exit status is 1; a user who is not muted is told of as such.

      EXAMPLES:
        parley moderation show lobby jeff
        parley moderation show lobby jeff mute
      """)

  @OptionGroup var target: RestrictionTarget

  @Argument(help: "Which: ban or mute.")
  var kind = RestrictionKind.ban

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", target.path(kind.rawValue))
    try output.show(answer) { RestrictionText.lines($0, kind, of: target) }
  }
}
