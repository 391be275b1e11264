internal import ArgumentParser

/// Those who operate a channel.
struct OperatorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operators", abstract: "List, add and remove a channel's operators.",
    discussion: """
      EXAMPLES:
        parley channel operators list lobby
        parley channel operators add lobby ada jeff
      """,
    subcommands: [ListOperators.self, AddOperators.self, RemoveOperators.self])
}
