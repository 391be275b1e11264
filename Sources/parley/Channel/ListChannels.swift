internal import ArgumentParser

/// Shows channels.
struct ListChannels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List channels, newest first.")

  @Option(help: ArgumentHelp("Only those with this in their name.", valueName: "text"))
  var name: String?

  @Option(help: ArgumentHelp("Only those with this in their URL.", valueName: "text"))
  var url: String?

  @Option(help: ArgumentHelp("Only this kind; may be given several times.", valueName: "type"))
  var customType: [String] = []

  @Flag(help: "Leave frozen ones out.")
  var unfrozen = false

  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var query: [(String, String)] = []
    if let name { query.append(("name_contains", name)) }
    if let url { query.append(("url_contains", url)) }
    if !customType.isEmpty { query.append(("custom_types", customType.joined(separator: ","))) }
    if unfrozen { query.append(("show_frozen", "false")) }
    let list = PagedList(
      "/v3/open_channels", query: query, member: "channels", whenEmpty: "no channels",
      columns: ChannelText.columns, row: ChannelText.row(ofChannel:))
    try page.show(list, gateway, output)
  }
}
