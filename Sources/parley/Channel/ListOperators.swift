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
    let list = PagedList(
      "\(channel.path)/operators", member: "operators", whenEmpty: "no operators",
      columns: [.text("user"), .text("nickname")]
    ) {
      [$0.text("user_id"), $0.text("nickname")]
    }
    try page.show(list, gateway, output)
  }
}
