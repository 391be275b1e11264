internal import ArgumentParser

/// Removes an item of metadata, or all.
struct RemoveMetadata<Owner: MetadataOwner>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "remove", abstract: "Remove an item of a \(Owner.noun)'s metadata, or all.")
  }

  @OptionGroup var owner: Owner
  @OptionGroup var choice: KeyChoice
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call("DELETE", "\(owner.path)/metadata\(choice.pathPart)")
    try output.show(answer, as: "\(choice.key ?? "all metadata") is removed")
  }
}
