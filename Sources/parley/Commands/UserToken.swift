internal import ArgumentParser
internal import Reactor

/// Commands for a user's session tokens.
struct UserTokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Issue and revoke session tokens of a user.",
    discussion: """
      EXAMPLES:
        parley user token issue ada --hours 24
        parley user token revoke ada
      """,
    subcommands: [Issue.self, Revoke.self])
}

extension UserTokenCommand {
  /// Issues a session token.
  struct Issue: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "issue", abstract: "Issue a session token for a user.",
      discussion: "The token is shown once.")

    @OptionGroup var user: UserArgument

    @Option(
      help: ArgumentHelp("Lifetime in hours, 1 to 87,600. (default: 168)", valueName: "hours"))
    var hours: Int64?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...87_600).contains(hours ?? 1) else {
        throw ValidationError("--hours is \(hours ?? 0); 1 to 87600 is expected")
      }
    }

    func run() throws {
      let now = SystemClock.unixMilliseconds
      var body = RequestBody()
      body.set("expires_at", hours.map { now + $0 * 3_600_000 })
      let answer = try gateway.client().call("POST", "\(user.path)/token", body: body)
      try output.show(answer) { token in
        var fields = FieldList()
        fields.add("token", token.text("token"))
        fields.add("valid until", token.time("expires_at"))
        return fields.lines()
      }
    }
  }
}

extension UserTokenCommand {
  /// Revokes session tokens.
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke all session tokens of a user.")

    @OptionGroup var user: UserArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", "\(user.path)/token")
      try output.show(answer, as: "the session tokens of \(user.id) are revoked")
    }
  }
}
