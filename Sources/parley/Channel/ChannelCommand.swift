internal import ArgumentParser

/// Channels.
struct ChannelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Create, change and look at channels.",
    discussion: """
      EXAMPLES:
        parley channel create lobby --name Lobby --operator ada
        parley channel list --name lob
        parley channel freeze lobby
        parley channel participants lobby --all
        parley channel metadata set lobby topic=launch
        parley channel metacounter increase lobby likes=1
        parley channel delete lobby --yes
      """,
    subcommands: [
      CreateChannel.self, ListChannels.self, ShowChannel.self, UpdateChannel.self,
      DeleteChannel.self, FreezeChannel.self, UnfreezeChannel.self, ListParticipants.self,
      OperatorsCommand.self, MetadataCommand<ChannelArgument>.self,
      MetacounterCommand.self,
    ])
}
