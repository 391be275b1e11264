internal import ArgumentParser

/// What the application keeps with a channel or user.
struct MetadataCommand<Owner: MetadataOwner>: ParsableCommand {
  static var configuration: CommandConfiguration {
    let example = Owner.noun == ChannelArgument.noun ? "lobby" : "ada"
    return CommandConfiguration(
      commandName: "metadata", abstract: "Show, set and remove a \(Owner.noun)'s metadata.",
      discussion: """
        At most 25 texts by keys of at most 128 characters; a text has at most 190.

        EXAMPLES:
          parley \(Owner.noun) metadata set \(example) topic=launch colour=red
          parley \(Owner.noun) metadata show \(example)
          parley \(Owner.noun) metadata remove \(example) colour
        """,
      subcommands: [
        ShowMetadata<Owner>.self, SetMetadata<Owner>.self, RemoveMetadata<Owner>.self,
      ])
  }
}
