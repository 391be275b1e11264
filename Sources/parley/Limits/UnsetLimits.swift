internal import ArgumentParser

/// Takes limits back.
struct UnsetLimits: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Forget limits that were set, so that the wider ones hold.")

  @OptionGroup var scope: LimitScopeOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("DELETE", scope.path)
    try output.show(answer, as: LimitsText.lines)
  }
}
