internal import ArgumentParser

/// Session tokens.
struct UserTokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Issue and revoke a user's session tokens.",
    discussion: """
      EXAMPLES:
        parley user token issue ada --hours 24
        parley user token revoke ada
      """,
    subcommands: [IssueToken.self, RevokeTokens.self])
}
