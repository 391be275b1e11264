internal import ArgumentParser

/// Those who operate a channel.
struct OperatorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operators", abstract: "List, add and remove a channel's operators.",
    discussion: """
      EXAMPLES:
        parley channel operators list lobby
        parley channel operators add lobby ada jeff
      """,
    subcommands: [List.self, Add.self, Remove.self])
}

extension OperatorsCommand {
  /// Shows a channel's operators.
  struct List: ParsableCommand {
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
}

extension OperatorsCommand {
  /// Makes users operators.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Make users operators of a channel.")

    @OptionGroup var channel: ChannelArgument

    @Argument(help: ArgumentHelp("The users.", valueName: "user id"))
    var users: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("operator_ids", users)
      let answer = try gateway.client().call("POST", "\(channel.path)/operators", body: body)
      try output.show(answer, as: "now operators: \(users.joined(separator: ", "))")
    }
  }
}

extension OperatorsCommand {
  /// Takes the role of operator back.
  struct Remove: ParsableCommand {
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
}
