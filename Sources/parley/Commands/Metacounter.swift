internal import ArgumentParser
internal import ParleyProtocol

/// Commands for a channel's counters.
struct MetacounterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metacounter",
    abstract: "Show, set, increase, decrease and remove counters of a channel.",
    discussion: """
      By default, a channel has up to 25 integer counters with keys of up to 128 characters. \
      Concurrent changes are all counted.

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
      commandName: "show", abstract: "Show the counters of a channel.")

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
      commandName: "set", abstract: "Set counters of a channel.")

    @OptionGroup var change: MetacounterArguments

    func run() throws { try change.perform(mode: "set") }
  }
}

extension MetacounterCommand {
  /// Adds to counters.
  struct Increase: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "increase", abstract: "Increase counters; a missing counter starts at 0.")

    @OptionGroup var change: MetacounterArguments

    func run() throws { try change.perform(mode: "increase") }
  }
}

extension MetacounterCommand {
  /// Subtracts from counters.
  struct Decrease: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decrease",
      abstract: "Decrease counters; a missing counter starts at 0.")

    @OptionGroup var change: MetacounterArguments

    func run() throws { try change.perform(mode: "decrease") }
  }
}

extension MetacounterCommand {
  /// Removes one or all counters of a channel.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove one or all counters of a channel.")

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

/// Arguments of commands that change counters.
struct MetacounterArguments: ParsableArguments {
  @OptionGroup var channel: ChannelArgument

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
