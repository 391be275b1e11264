internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol

/// Commands for sessions.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List and close sessions.",
    discussion: """
      EXAMPLES:
        parley sessions list --user ada
        parley sessions close 5f3a
      """,
    subcommands: [List.self, Close.self])
}

extension SessionsCommand {
  /// Lists sessions.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List sessions with their addresses and channels.")

    @Option(help: ArgumentHelp("Only sessions of this user.", valueName: "user id"))
    var user: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        "/v3/parley/sessions", query: user.map { [("user_id", $0)] } ?? [], member: "sessions",
        whenEmpty: "no sessions",
        columns: [.text("session"), .text("user"), .text("address"), .text("channels")]
      ) { session in
        let channels = session.list("channel_urls").compactMap(\.string)
        return [
          session.text("session_id"), session.text("user_id"), session.text("address"),
          channels.joined(separator: ", "),
        ]
      }
      try page.show(list, gateway, output)
    }
  }
}

extension SessionsCommand {
  /// Closes a session.
  struct Close: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "close", abstract: "Close a session.",
      discussion: "The client may reconnect; 'user deactivate' prevents that.")

    @Argument(
      help: ArgumentHelp("The session id, from 'sessions list'.", valueName: "session id"))
    var session: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !session.isEmpty else { throw ValidationError("the session id is empty") }
    }

    func run() throws {
      let part = PercentEncoding.encode(pathPart: session)
      let answer = try gateway.client().call("DELETE", "/v3/parley/sessions/\(part)")
      try output.show(answer, as: "the session is closed")
    }
  }
}
