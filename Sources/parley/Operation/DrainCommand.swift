internal import ArgumentParser

/// Ends a gateway in good order.
struct DrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Have a gateway send its clients elsewhere and end.",
    discussion: "The same as SIGTERM: what was accepted is stored and answered first.")

  @OptionGroup var confirmation: Confirmation
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    try confirmation.ask("Have the gateway end?")
    let answer = try gateway.client().call("POST", "/v3/parley/drain")
    try output.show(answer, as: "the gateway is draining")
  }
}
