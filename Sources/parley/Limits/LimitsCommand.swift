internal import ArgumentParser

/// What users may send and are shown.
struct LimitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show, set and explain flood protection and throttling.",
    discussion: """
      Each limit is a number of messages in a window; 0 turns it off. A channel's own limit decides \
      over that of its custom type, which decides over the deployment's.

      EXAMPLES:
        parley limits show
        parley limits set --channel lobby --flood 10/1000
        parley limits set --custom-type live --throttle 3/1000
        parley limits unset --channel lobby
        parley limits explain --user ada --channel lobby
      """,
    subcommands: [ShowLimits.self, SetLimits.self, UnsetLimits.self, ExplainLimits.self])
}
