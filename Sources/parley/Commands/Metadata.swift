internal import ArgumentParser
internal import HTTP1
internal import ParleyProtocol

/// What the application keeps with a channel or user.
struct MetadataCommand<Owner: MetadataOwner>: ParsableCommand {
  static var configuration: CommandConfiguration {
    let example = Owner.noun == ChannelArgument.noun ? "lobby" : "ada"
    return CommandConfiguration(
      commandName: "metadata", abstract: "Show, set and remove a \(Owner.noun)'s metadata.",
      discussion: """
        At most 25 texts by keys of at most 128 characters; a text has at most 190.

        EXAMPLES:
          parley \(Owner.noun) metadata set \(example) topic=launch colour=red
          parley \(Owner.noun) metadata show \(example)
          parley \(Owner.noun) metadata remove \(example) colour
        """,
      subcommands: [
        Show.self, Set.self, Remove.self,
      ])
  }
}

extension MetadataCommand {
  /// Shows metadata.
  struct Show: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(commandName: "show", abstract: "Show a \(Owner.noun)'s metadata.")
    }

    @OptionGroup var owner: Owner
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", "\(owner.path)/metadata")
      try output.show(answer, as: MetadataText.lines)
    }
  }
}

extension MetadataCommand {
  /// Sets items of metadata.
  struct Set: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "set", abstract: "Set items of a \(Owner.noun)'s metadata; the others stay.")
    }

    @OptionGroup var owner: Owner

    @Argument(help: ArgumentHelp("The items.", valueName: "key=value"))
    var items: [MetadataItem]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let values = items.map { ($0.key, $0.value) }
      var body = RequestBody()
      body.set("metadata", Dictionary(values, uniquingKeysWith: { _, last in last }))
      body.set("upsert", true)
      let answer = try gateway.client().call("PUT", "\(owner.path)/metadata", body: body)
      try output.show(answer, as: MetadataText.lines)
    }
  }
}

extension MetadataCommand {
  /// Removes an item of metadata, or all.
  struct Remove: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "remove", abstract: "Remove an item of a \(Owner.noun)'s metadata, or all.")
    }

    @OptionGroup var owner: Owner
    @OptionGroup var choice: KeyChoice
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", "\(owner.path)/metadata\(choice.pathPart)")
      try output.show(answer, as: "\(choice.key ?? "all metadata") is removed")
    }
  }
}

/// What has metadata: a channel or a user, as the command line names it.
protocol MetadataOwner: ParsableArguments {
  /// What it is called.
  static var noun: String { get }
  /// Its place in the Platform API.
  var path: String { get }
}

extension ChannelArgument: MetadataOwner {
  static var noun: String { "channel" }
}

extension UserArgument: MetadataOwner {
  static var noun: String { "user" }
}

/// A key with its value, as the command line has them: `topic=launch`.
struct MetadataItem: ExpressibleByArgument, Equatable {
  let key: String
  let value: String

  init?(argument: String) {
    guard let mark = argument.firstIndex(of: "="), mark != argument.startIndex else { return nil }
    key = String(argument[..<mark])
    value = String(argument[argument.index(after: mark)...])
  }
}

/// One key, or all.
struct KeyChoice: ParsableArguments {
  @Argument(help: "The item's key.")
  var key: String?

  @Flag(help: "All items.")
  var all = false

  func validate() throws {
    guard all == (key == nil) else { throw ValidationError("give either a key or --all") }
    guard key?.isEmpty != true else { throw ValidationError("the key is empty") }
  }

  /// What follows the place of all items in the Platform API.
  var pathPart: String { key.map { "/" + PercentEncoding.encode(pathPart: $0) } ?? "" }
}

/// Metadata, for people.
enum MetadataText {
  static func lines(_ items: JSONNode) -> [String] {
    var fields = FieldList()
    for (key, value) in items.members { fields.add(key, value.string ?? "") }
    let lines = fields.lines()
    return lines.isEmpty ? ["no metadata"] : lines
  }
}
