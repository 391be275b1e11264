internal import ArgumentParser

/// Shows limits.
struct ShowLimits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the limits that hold.")

  @OptionGroup var scope: LimitScopeOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", scope.path)
    try output.show(answer, as: LimitsText.lines)
  }
}
