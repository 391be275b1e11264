internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol

/// Commands for the metadata of a channel, group or user.
struct MetadataCommand<Owner: MetadataHolder>: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "metadata", abstract: "Show, set and remove metadata of a \(Owner.noun).",
      discussion: """
        By default, metadata has up to 25 texts of 190 characters, each with a key of up to 128 \
        characters.

        EXAMPLES:
          parley \(Owner.noun) metadata set \(Owner.example) topic=launch colour=red
          parley \(Owner.noun) metadata show \(Owner.example)
          parley \(Owner.noun) metadata remove \(Owner.example) colour
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
      CommandConfiguration(commandName: "show", abstract: "Show the metadata of a \(Owner.noun).")
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
        commandName: "set", abstract: "Set items of the metadata of a \(Owner.noun).")
    }

    @OptionGroup var owner: Owner

    @Argument(help: ArgumentHelp("The items to set; other items stay.", valueName: "key=value"))
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
  /// Removes one or all items of metadata.
  struct Remove: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "remove",
        abstract: "Remove one or all items of the metadata of a \(Owner.noun).")
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

/// The argument that names the holder of metadata: a channel, a group or a user.
protocol MetadataHolder: ParsableArguments {
  /// The noun for the holder.
  static var noun: String { get }
  /// The name of a holder in examples.
  static var example: String { get }
  /// The path in the Platform API.
  var path: String { get }
}

extension UserArgument: MetadataHolder {
  static var noun: String { "user" }
  static var example: String { "ada" }
}

/// A key with its value, written as `topic=launch`.
struct MetadataItem: ExpressibleByArgument, Equatable {
  let key: String
  let value: String

  init?(argument: String) {
    guard let mark = argument.firstIndex(of: "="), mark != argument.startIndex else { return nil }
    key = String(argument[..<mark])
    value = String(argument[argument.index(after: mark)...])
  }
}

/// One key, or all keys.
struct KeyChoice: ParsableArguments {
  @Argument(help: "The key of the item.")
  var key: String?

  @Flag(help: "Remove all items.")
  var all = false

  func validate() throws {
    guard all == (key == nil) else { throw ValidationError("give either a key or --all") }
    guard key?.isEmpty != true else { throw ValidationError("the key is empty") }
  }

  /// The part of the path after that of all items in the Platform API.
  var pathPart: String { key.map { "/" + PercentEncoding.encode(pathPart: $0) } ?? "" }
}

/// Formats metadata as text.
enum MetadataText {
  static func lines(_ items: JSONNode) -> [String] {
    var fields = FieldList()
    for (key, value) in items.members { fields.add(key, value.string ?? "") }
    let lines = fields.lines()
    return lines.isEmpty ? ["no metadata"] : lines
  }
}
