internal import ArgumentParser
internal import ParleyProtocol

/// Shows who is connected.
struct ListSessions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List sessions, where they come from and the channels that they are in.")

  @Option(help: ArgumentHelp("Only those of this user.", valueName: "user id"))
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
