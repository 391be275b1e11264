internal import ArgumentParser
internal import ParleyProtocol

/// Counters that the application keeps with a channel.
struct MetacounterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metacounter", abstract: "Show, set, move and remove a channel's counters.",
    discussion: """
      At most 25 whole numbers by keys of at most 128 characters. Several calls at the same time are \
      all counted.

      EXAMPLES:
        parley channel metacounter set lobby likes=0
        parley channel metacounter increase lobby likes=1 views=20
        parley channel metacounter show lobby
        parley channel metacounter remove lobby likes
      """,
    subcommands: [
      Show.self, Set.self, Increase.self,
      Decrease.self, Remove.self,
    ])
}

extension MetacounterCommand {
  /// Shows a channel's counters.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a channel's counters.")

    @OptionGroup var channel: ChannelArgument
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
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set counters; the others stay.")

    @OptionGroup var change: MetacounterChange

    func run() throws { try change.perform(mode: "set") }
  }
}

extension MetacounterCommand {
  /// Adds to counters.
  struct Increase: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "increase", abstract: "Add to counters; one that is not there begins at 0.")

    @OptionGroup var change: MetacounterChange

    func run() throws { try change.perform(mode: "increase") }
  }
}

extension MetacounterCommand {
  /// Subtracts from counters.
  struct Decrease: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decrease",
      abstract: "Subtract from counters; one that is not there begins at 0.")

    @OptionGroup var change: MetacounterChange

    func run() throws { try change.perform(mode: "decrease") }
  }
}

extension MetacounterCommand {
  /// Removes a channel's counter, or all.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a channel's counter, or all.")

    @OptionGroup var channel: ChannelArgument
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

/// Which counters are changed by how much.
struct MetacounterChange: ParsableArguments {
  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The counters, such as likes=5.", valueName: "key=number"))
  var items: [MetacounterItem]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard Set(items.map(\.key)).count == items.count else {
      throw ValidationError("a counter is given twice")
    }
  }

  /// Changes them in one of the ways that the Platform API has, and shows what they are then.
  func perform(mode: String) throws {
    var body = RequestBody()
    body.set("metacounter", items.map { ($0.key, $0.number) })
    body.set("mode", mode)
    body.set("upsert", true)
    let answer = try gateway.client().call("PUT", "\(channel.path)/metacounter", body: body)
    try output.show(answer, as: MetacounterText.lines)
  }
}

/// A counter's name with a number, as the command line has them: `likes=5`.
struct MetacounterItem: ExpressibleByArgument, Equatable {
  let key: String
  let number: Int64

  init?(argument: String) {
    // Behind the last mark, since a name may have one and a number has none.
    guard let mark = argument.lastIndex(of: "="), mark != argument.startIndex,
      let number = Int64(argument[argument.index(after: mark)...])
    else { return nil }
    key = String(argument[..<mark])
    self.number = number
  }
}

/// Counters, for people.
enum MetacounterText {
  static func lines(_ counters: JSONNode) -> [String] {
    var fields = FieldList()
    for (key, number) in counters.members { fields.add(key, number.integer.map { String($0) }) }
    let lines = fields.lines()
    return lines.isEmpty ? ["no counters"] : lines
  }
}
