internal import ArgumentParser

/// Shows what keeps a user from sending, and from seeing.
struct ExplainLimits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show a user's windows in a channel, and why its next message would be refused.",
    discussion: "Asking counts as nothing: it uses up no window.")

  @Option(help: ArgumentHelp("The user.", valueName: "user id"))
  var user: String

  @Option(help: ArgumentHelp("The channel.", valueName: "channel"))
  var channel: String

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !user.isEmpty, !channel.isEmpty else {
      throw ValidationError("--user and --channel can't be empty")
    }
  }

  func run() throws {
    let answer = try gateway.client().call(
      "GET", "\(LimitScopeOptions.pathOfDeployment)/explain",
      query: [("user_id", user), ("channel_url", channel)])
    try output.show(answer, as: LimitExplanationText.lines)
  }
}
