internal import ArgumentParser

/// Takes the role of operator back.
struct RemoveOperators: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Let users be operators of a channel no longer.")

  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The users.", valueName: "user id"))
  var users: [String] = []

  @Flag(help: "All operators.")
  var all = false

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard all == users.isEmpty else { throw ValidationError("give either users or --all") }
    guard !users.contains(where: { $0.contains(",") }) else {
      throw ValidationError("a user whose id has a comma can only be removed with --all")
    }
  }

  func run() throws {
    let query = all ? ("delete_all", "true") : ("operator_ids", users.joined(separator: ","))
    let answer = try gateway.client().call("DELETE", "\(channel.path)/operators", query: [query])
    let who = all ? "all" : users.joined(separator: ", ")
    try output.show(answer, as: "operators no longer: \(who)")
  }
}
