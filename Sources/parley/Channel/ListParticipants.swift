internal import ArgumentParser
internal import ParleyProtocol

/// Shows who is in a channel.
struct ListParticipants: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "participants", abstract: "List who is in a channel.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call(
      "GET", "\(channel.path)/participants", query: page.query)
    try output.show(answer) { Self.lines(ofPage: $0) }
  }

  private static func lines(ofPage page: JSONNode) -> [String] {
    var table = TextTable([.text("user"), .text("nickname"), .text("state")])
    for user in page.list("participants") {
      table.add([
        user.text("user_id"), user.text("nickname"), user.isTrue("is_muted") ? "muted" : "",
      ])
    }
    return table.lines(whenEmpty: "nobody is there") + PageOptions.more(page)
  }
}
