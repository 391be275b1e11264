internal import ArgumentParser

/// Changes a ban that is in force.
struct UpdateBan: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update-ban", abstract: "Change how long a user stays banned, or why.",
    discussion: """
      What is not given stays. To change a mute, mute again: the later one replaces it.

      EXAMPLES:
        parley moderation update-ban lobby jeff --seconds 3600
        parley moderation update-ban lobby jeff --reason "spam, again"
      """)

  @OptionGroup var target: RestrictionTarget

  @Option(
    help: ArgumentHelp("How long from now on; -1 for ten years.", valueName: "seconds"))
  var seconds: Int64?

  @Option(help: ArgumentHelp("Why, told to the channel.", valueName: "text"))
  var reason: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard seconds != nil || reason != nil else {
      throw ValidationError("give --seconds, --reason or both")
    }
  }

  func run() throws {
    var body = RequestBody()
    body.set("seconds", seconds)
    body.set("description", reason)
    let answer = try gateway.client().call("PUT", target.path("ban"), body: body)
    try output.show(answer) { RestrictionText.lines($0, .ban, of: target) }
  }
}
