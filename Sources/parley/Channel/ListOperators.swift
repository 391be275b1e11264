internal import ArgumentParser

/// Shows a channel's operators.
struct ListOperators: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List a channel's operators.")

  @OptionGroup var channel: ChannelArgument
  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call(
      "GET", "\(channel.path)/operators", query: page.query)
    try output.show(answer) { page in
      var table = TextTable([.text("user"), .text("nickname")])
      for user in page.list("operators") {
        table.add([user.text("user_id"), user.text("nickname")])
      }
      return table.lines(whenEmpty: "no operators") + PageOptions.more(page)
    }
  }
}
