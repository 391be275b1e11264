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
    let query = page.query + (user.map { [("user_id", $0)] } ?? [])
    let answer = try gateway.client().call("GET", "/v3/parley/sessions", query: query)
    try output.show(answer, as: Self.lines)
  }

  private static func lines(ofPage page: JSONNode) -> [String] {
    var table = TextTable([
      .text("session"), .text("user"), .text("address"), .text("channels"),
    ])
    for session in page.list("sessions") {
      let channels = session.list("channel_urls").compactMap(\.string)
      table.add([
        session.text("session_id"), session.text("user_id"), session.text("address"),
        channels.joined(separator: ", "),
      ])
    }
    return table.lines(whenEmpty: "no sessions") + PageOptions.more(page)
  }
}
