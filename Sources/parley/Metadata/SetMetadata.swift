internal import ArgumentParser

/// Sets items of metadata.
struct SetMetadata<Owner: MetadataOwner>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "set", abstract: "Set items of a \(Owner.noun)'s metadata; the others stay.")
  }

  @OptionGroup var owner: Owner

  @Argument(help: ArgumentHelp("The items.", valueName: "key=value"))
  var items: [MetadataItem]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let values = items.map { ($0.key, $0.value) }
    var body = RequestBody()
    body.set("metadata", Dictionary(values, uniquingKeysWith: { _, last in last }))
    body.set("upsert", true)
    let answer = try gateway.client().call("PUT", "\(owner.path)/metadata", body: body)
    try output.show(answer, as: MetadataText.lines)
  }
}
