internal import ArgumentParser

/// Commands for a channel's operators.
struct OperatorsCommand<Channel: ChannelOfKind>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "operators", abstract: "List, add and remove operators of a \(Channel.noun).",
      discussion: """
        EXAMPLES:
          parley \(Channel.noun) operators list \(Channel.example)
          parley \(Channel.noun) operators add \(Channel.example) ada jeff
        """,
      subcommands: [List.self, Add.self, Remove.self])
  }
}

extension OperatorsCommand {
  /// Lists a channel's operators.
  struct List: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "list", abstract: "List the operators of a \(Channel.noun).")
    }

    @OptionGroup var channel: Channel
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
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "add", abstract: "Add operators to a \(Channel.noun).")
    }

    @OptionGroup var channel: Channel

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
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "remove", abstract: "Remove operators from a \(Channel.noun).")
    }

    @OptionGroup var channel: Channel

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
