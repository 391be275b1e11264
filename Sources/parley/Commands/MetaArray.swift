internal import ArgumentParser
internal import ParleyProtocol

/// Commands for a message's extra data.
struct MetaArrayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metaarray",
    abstract: "Change the extra data of a message: lists of texts by key.",
    discussion: """
      By default, a message has up to 10 keys of 128 characters, each with up to 100 texts of 190 \
      characters. A list keeps its order and holds each text once. 'message show' prints the lists.

      EXAMPLES:
        parley message metaarray add lobby 17300000000001 games=chess games=go
        parley message metaarray remove lobby 17300000000001 games=go
        parley message metaarray remove-keys lobby 17300000000001 games
      """,
    subcommands: [Add.self, Remove.self, RemoveKeys.self])
}

extension MetaArrayCommand {
  /// Adds texts to a message's extra data.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add texts to the extra data of a message, creating missing keys.")

    @OptionGroup var change: MetaArrayArguments

    func run() throws {
      var body = RequestBody()
      body.set("upsert", true)
      try change.perform(mode: "add", body: body)
    }
  }
}

extension MetaArrayCommand {
  /// Removes texts from a message's extra data.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove texts from the extra data of a message, keeping the keys.")

    @OptionGroup var change: MetaArrayArguments

    func run() throws { try change.perform(mode: "remove") }
  }
}

extension MetaArrayCommand {
  /// Removes keys from a message's extra data.
  struct RemoveKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-keys",
      abstract: "Remove keys and their texts from the extra data of a message.",
      discussion: "Unknown keys are ignored.")

    @OptionGroup var message: MessageArgument

    @Argument(help: ArgumentHelp("The keys to remove.", valueName: "key"))
    var keys: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !keys.contains(where: { $0.isEmpty || $0.contains(",") }) else {
        throw ValidationError("a key is empty or contains a comma; neither can be removed here")
      }
    }

    func run() throws {
      let answer = try gateway.client().call(
        "DELETE", "\(message.path)/sorted_metaarray",
        query: [("keys", keys.joined(separator: ","))])
      try output.show(answer, as: MetaArrayText.lines)
    }
  }
}

/// Arguments of commands that change texts of a message's extra data.
struct MetaArrayArguments: ParsableArguments {
  @OptionGroup var message: MessageArgument

  @Argument(
    help: ArgumentHelp("The texts with their keys; keys may repeat.", valueName: "key=text"))
  var items: [MetadataItem]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  /// Adds or removes the texts and prints the result.
  ///
  /// - Parameter mode: `add` or `remove`, as in the Platform API.
  func perform(mode: String, body: RequestBody = RequestBody()) throws {
    var body = body
    body.set("sorted_metaarray", lists: Self.lists(items))
    body.set("mode", mode)
    let answer = try gateway.client().call("PUT", "\(message.path)/sorted_metaarray", body: body)
    try output.show(answer, as: MetaArrayText.lines)
  }

  /// Groups texts by key, keeping the order.
  static func lists(_ items: [MetadataItem]) -> [(key: String, values: [String])] {
    var lists: [(key: String, values: [String])] = []
    for item in items {
      if let index = lists.firstIndex(where: { $0.key == item.key }) {
        lists[index].values.append(item.value)
      } else {
        lists.append((item.key, [item.value]))
      }
    }
    return lists
  }
}

/// Formats a message's extra data as text.
enum MetaArrayText {
  static func lines(_ answer: JSONNode) -> [String] {
    var fields = FieldList()
    for list in answer.list("sorted_metaarray") {
      fields.add(list.text("key"), list.list("value").compactMap(\.string).joined(separator: ", "))
    }
    let lines = fields.lines()
    return lines.isEmpty ? ["no extra data"] : lines
  }
}
