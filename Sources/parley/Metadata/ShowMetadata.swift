internal import ArgumentParser

/// Shows metadata.
struct ShowMetadata<Owner: MetadataOwner>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "show", abstract: "Show a \(Owner.noun)'s metadata.")
  }

  @OptionGroup var owner: Owner
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("GET", "\(owner.path)/metadata")
    try output.show(answer, as: MetadataText.lines)
  }
}
