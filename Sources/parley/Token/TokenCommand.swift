internal import ArgumentParser

/// Tokens of the Platform API.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Issue, list and revoke API tokens.",
    discussion: """
      Each program that calls the gateway may have a token of its own, which can be taken back \
      without disturbing the others. Tokens with which users open sessions are under parley user \
      token.

      EXAMPLES:
        parley token create shop
        parley token list
        parley token revoke 4f2a9c01d37be586
      """,
    subcommands: [CreateToken.self, ListTokens.self, RevokeToken.self])

  /// Their place in the Platform API.
  static let path = "/v3/parley/api_tokens"
}
