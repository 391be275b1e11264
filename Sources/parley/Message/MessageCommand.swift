internal import ArgumentParser

/// Messages.
struct MessageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message",
    abstract: "Send, change and look at messages.",
    discussion: """
      EXAMPLES:
        parley message send lobby "see swift.org" --user ada
        parley message send lobby --user ada --file photo.jpg
        parley message admin lobby "Maintenance at noon"
        parley message list lobby --limit 50
        parley message search lobby maintenance
        parley message list lobby --all --json > lobby.json
        parley message metaarray add lobby 17300000000001 games=chess
        parley message delete lobby 17300000000001
      """,
    subcommands: [
      SendMessage.self, SendAdminMessage.self, ListMessages.self, SearchMessages.self,
      ShowMessage.self, CountMessages.self, UpdateMessage.self, DeleteMessage.self,
      MetaArrayCommand.self,
    ])
}
