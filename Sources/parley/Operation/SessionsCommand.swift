internal import ArgumentParser

/// Who is connected.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List and close sessions.",
    discussion: """
      EXAMPLES:
        parley sessions list --user ada
        parley sessions close 5f3a
      """,
    subcommands: [ListSessions.self, CloseSession.self])
}
