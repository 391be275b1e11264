internal import ArgumentParser
internal import ParleyProtocol

/// Commands for a channel's counters.
struct MetacounterCommand<Channel: ChannelOfKind>: ParsableCommand {
  static var configuration: CommandConfiguration {
    let command = "parley \(Channel.noun) metacounter"
    return CommandConfiguration(
      commandName: "metacounter",
      abstract: "Show, set, increase, decrease and remove counters of a \(Channel.noun).",
      discussion: """
        By default, a \(Channel.noun) has up to 25 integer counters with keys of up to 128 \
        characters. Concurrent changes are all counted.

        EXAMPLES:
          \(command) set \(Channel.example) likes=0
          \(command) increase \(Channel.example) likes=1 views=20
          \(command) show \(Channel.example)
          \(command) remove \(Channel.example) likes
        """,
      subcommands: [
        Show.self, Set.self, Increase.self,
        Decrease.self, Remove.self,
      ])
  }
}

extension MetacounterCommand {
  /// Shows a channel's counters.
  struct Show: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "show", abstract: "Show the counters of a \(Channel.noun).")
    }

    @OptionGroup var channel: Channel
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "\(channel.path)/metacounter")
      try output.show(answer, as: MetacounterText.lines)
    }
  }
}

extension MetacounterCommand {
  /// Sets counters.
  struct Set: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "set", abstract: "Set counters of a \(Channel.noun).")
    }

    @OptionGroup var change: MetacounterArguments<Channel>

    func run() throws { try change.perform(mode: "set") }
  }
}

extension MetacounterCommand {
  /// Adds to counters.
  struct Increase: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "increase", abstract: "Increase counters; a missing counter starts at 0.")
    }

    @OptionGroup var change: MetacounterArguments<Channel>

    func run() throws { try change.perform(mode: "increase") }
  }
}

extension MetacounterCommand {
  /// Subtracts from counters.
  struct Decrease: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "decrease",
        abstract: "Decrease counters; a missing counter starts at 0.")
    }

    @OptionGroup var change: MetacounterArguments<Channel>

    func run() throws { try change.perform(mode: "decrease") }
  }
}

extension MetacounterCommand {
  /// Removes one or all counters of a channel.
  struct Remove: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "remove", abstract: "Remove one or all counters of a \(Channel.noun).")
    }

    @OptionGroup var channel: Channel
    @OptionGroup var choice: KeyChoice
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call(
        "DELETE", "\(channel.path)/metacounter\(choice.pathPart)")
      try output.show(answer, as: "\(choice.key ?? "all counters") removed")
    }
  }
}

/// Arguments of commands that change counters.
struct MetacounterArguments<Channel: ChannelOfKind>: ParsableArguments {
  @OptionGroup var channel: Channel

  @Argument(
    help: ArgumentHelp("The counters, such as likes=5; others stay.", valueName: "key=number"))
  var items: [MetacounterItem]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard Set(items.map(\.key)).count == items.count else {
      throw ValidationError("a counter is given twice; give each key once")
    }
  }

  /// Changes the counters and prints the result.
  ///
  /// - Parameter mode: `set`, `increase` or `decrease`, as in the Platform API.
  func perform(mode: String) throws {
    var body = RequestBody()
    body.set("metacounter", items.map { ($0.key, $0.number) })
    body.set("mode", mode)
    body.set("upsert", true)
    let answer = try gateway.client().call("PUT", "\(channel.path)/metacounter", body: body)
    try output.show(answer, as: MetacounterText.lines)
  }
}

/// A counter's key with a number, written as `likes=5`.
struct MetacounterItem: ExpressibleByArgument, Equatable {
  let key: String
  let number: Int64

  init?(argument: String) {
    // After the last mark: a key may contain one, a number cannot.
    guard let mark = argument.lastIndex(of: "="), mark != argument.startIndex,
      let number = Int64(argument[argument.index(after: mark)...])
    else { return nil }
    key = String(argument[..<mark])
    self.number = number
  }
}

/// Formats counters as text.
enum MetacounterText {
  static func lines(_ counters: JSONNode) -> [String] {
    var fields = FieldList()
    for (key, number) in counters.members { fields.add(key, number.integer.map { String($0) }) }
    let lines = fields.lines()
    return lines.isEmpty ? ["no counters"] : lines
  }
}
