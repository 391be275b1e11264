internal import ArgumentParser
internal import ParleyProtocol

/// A message's extra data.
struct MetaArrayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metaarray", abstract: "Change a message's extra data: lists of texts by keys.",
    discussion: """
      At most 10 keys of at most 128 characters, with at most 100 texts each of at most 190. A text \
      is in a list once; lists keep their order. 'message show' shows them.

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
      commandName: "add", abstract: "Add texts to a message's extra data; new keys are made.")

    @OptionGroup var change: MetaArrayChange

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
      commandName: "remove", abstract: "Remove texts from a message's extra data; keys stay.")

    @OptionGroup var change: MetaArrayChange

    func run() throws { try change.perform(mode: "remove") }
  }
}

extension MetaArrayCommand {
  /// Removes keys from a message's extra data.
  struct RemoveKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-keys", abstract: "Remove keys of a message's extra data with all texts.",
      discussion: "Keys that are not there are passed over.")

    @OptionGroup var message: MessageArgument

    @Argument(help: ArgumentHelp("The keys.", valueName: "key"))
    var keys: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !keys.contains(where: { $0.isEmpty || $0.contains(",") }) else {
        throw ValidationError("a key can't be empty or have a comma here")
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

/// Which texts of a message's extra data are changed.
struct MetaArrayChange: ParsableArguments {
  @OptionGroup var message: MessageArgument

  @Argument(
    help: ArgumentHelp("The texts with their keys; a key several times.", valueName: "key=text"))
  var items: [MetadataItem]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  /// Adds or removes them, as the mode of the Platform API says, and shows what there is then.
  func perform(mode: String, body: RequestBody = RequestBody()) throws {
    var body = body
    body.set("sorted_metaarray", lists: Self.lists(items))
    body.set("mode", mode)
    let answer = try gateway.client().call("PUT", "\(message.path)/sorted_metaarray", body: body)
    try output.show(answer, as: MetaArrayText.lines)
  }

  /// The texts of each key, both in the order given.
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

/// A message's extra data, for people.
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
