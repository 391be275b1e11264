internal import ArgumentParser

/// Sets limits.
struct SetLimits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set limits; they hold at once, and over restarts.")

  @OptionGroup var scope: LimitScopeOptions

  @Option(
    help: ArgumentHelp(
      "What a user gets through: messages/milliseconds, such as 5/1000 or 5/1s, or off.",
      valueName: "limit"))
  var flood: RateArgument?

  @Option(
    help: ArgumentHelp(
      "What a participant is shown of others: messages/milliseconds, such as 5/1s, or off.",
      valueName: "limit"))
  var throttle: RateArgument?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard flood != nil || throttle != nil else {
      throw ValidationError("give --flood, --throttle or both")
    }
  }

  func run() throws {
    var body = RequestBody()
    body.set("flood", flood)
    body.set("throttle", throttle)
    let answer = try gateway.client().call("PUT", scope.path, body: body)
    try output.show(answer, as: LimitsText.lines)
  }
}
