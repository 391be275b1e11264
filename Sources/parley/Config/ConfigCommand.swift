internal import ArgumentParser

/// The servers' settings.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Check the servers' settings, and print their defaults.",
    discussion: """
      EXAMPLES:
        parley config defaults > parley.yaml
        parley config check parley.yaml
        parley config check parley.yaml --program unfurl
      """,
    subcommands: [CheckConfig.self, PrintDefaults.self])
}
