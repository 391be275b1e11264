internal import ArgumentParser

/// Counters that the application keeps with a channel.
struct MetacounterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metacounter", abstract: "Show, set, move and remove a channel's counters.",
    discussion: """
      At most 25 whole numbers by keys of at most 128 characters. Several calls at the same time are \
      all counted.

      EXAMPLES:
        parley channel metacounter set lobby likes=0
        parley channel metacounter increase lobby likes=1 views=20
        parley channel metacounter show lobby
        parley channel metacounter remove lobby likes
      """,
    subcommands: [
      ShowMetacounters.self, SetMetacounters.self, IncreaseMetacounters.self,
      DecreaseMetacounters.self, RemoveMetacounters.self,
    ])
}
