internal import ArgumentParser

/// Commands for a channel's operators.
struct OperatorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operators", abstract: "List, add and remove operators of a channel.",
    discussion: """
      EXAMPLES:
        parley channel operators list lobby
        parley channel operators add lobby ada jeff
      """,
    subcommands: [List.self, Add.self, Remove.self])
}

extension OperatorsCommand {
  /// Lists a channel's operators.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the operators of a channel.")

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
  /// Adds operators to a channel.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add operators to a channel.")

    @OptionGroup var channel: ChannelArgument

    @Argument(help: ArgumentHelp("The ids of the users.", valueName: "user id"))
    var users: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("operator_ids", users)
      let answer = try gateway.client().call("POST", "\(channel.path)/operators", body: body)
      try output.show(answer, as: "added operators: \(users.joined(separator: ", "))")
    }
  }
}

extension OperatorsCommand {
  /// Removes operators from a channel.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove operators from a channel.")

    @OptionGroup var channel: ChannelArgument

    @Argument(help: ArgumentHelp("The ids of the users.", valueName: "user id"))
    var users: [String] = []

    @Flag(help: "Remove all operators.")
    var all = false

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard all == users.isEmpty else { throw ValidationError("give either user ids or --all") }
      guard !users.contains(where: { $0.contains(",") }) else {
        throw ValidationError("a user id with a comma cannot be removed by itself; use --all")
      }
    }

    func run() throws {
      let query = all ? ("delete_all", "true") : ("operator_ids", users.joined(separator: ","))
      let answer = try gateway.client().call("DELETE", "\(channel.path)/operators", query: [query])
      let who = all ? "all" : users.joined(separator: ", ")
      try output.show(answer, as: "removed operators: \(who)")
    }
  }
}
