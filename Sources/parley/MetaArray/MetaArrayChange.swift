internal import ArgumentParser

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
