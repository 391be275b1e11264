internal import ArgumentParser

/// What the application keeps with a channel.
struct ChannelMetadataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metadata", abstract: "Show, set and remove a channel's metadata.",
    discussion: """
      EXAMPLES:
        parley channel metadata set lobby topic=launch colour=red
        parley channel metadata show lobby
        parley channel metadata remove lobby colour
      """,
    subcommands: [ShowChannelMetadata.self, SetChannelMetadata.self, RemoveChannelMetadata.self])
}
